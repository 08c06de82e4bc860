import type { RoleTemplate } from "@drover/crds";
import { aRoleTemplate } from "@drover/crds/testing";
import { expect } from "chai";
import type { ClusterRole } from "kopf-ts/kinds";
import { managementRoles } from "./desired.ts";

const management = "management.cattle.io";
const on = (resource: string, group = management, names?: readonly string[]) => ({
  verbs: ["get"],
  apiGroups: [group],
  resources: [resource],
  ...(names && { resourceNames: names }),
});

type Fields = Partial<Omit<RoleTemplate, "metadata">>;
const template = (name: string, fields: Fields = {}): RoleTemplate =>
  aRoleTemplate({ metadata: { name }, rules: [], ...fields });
const sources = (
  templates: readonly RoleTemplate[] = [],
  clusterRoles: readonly string[] = [],
) => ({
  roleTemplate: (name: string) => templates.find(({ metadata }) => metadata.name === name),
  clusterRole: (name: string) => (clusterRoles.includes(name) ? [on("nodes")] : undefined),
});
const namesOf = (roles: readonly ClusterRole[]) => roles.map(({ metadata }) => metadata.name);
const clusterRoles = ["a-cluster-mgmt", "a-cluster-mgmt-aggregator"];
const projectRoles = ["a-project-mgmt", "a-project-mgmt-aggregator"];

describe("managementRoles", () => {
  for (const { name, fields, expected } of [
    { name: "none for pods", fields: { rules: [on("pods", "")] }, expected: [] },
    {
      name: "those of clusters for nodes",
      fields: { rules: [on("nodes")] },
      expected: clusterRoles,
    },
    {
      name: "those of projects for secrets",
      fields: { rules: [on("secrets", "")] },
      expected: projectRoles,
    },
    {
      name: "both for everything",
      fields: { rules: [on("*", "*")] },
      expected: [...clusterRoles, ...projectRoles],
    },
    {
      name: "those of projects alone in context project",
      fields: { context: "project", rules: [on("*", "*")] },
      expected: projectRoles,
    },
    {
      name: "those of projects alone without a context",
      fields: { context: "", rules: [on("*", "*")] },
      expected: projectRoles,
    },
    {
      name: "none for rules with names",
      fields: { rules: [on("nodes", management, ["n"]), on("secrets", "", ["s"])] },
      expected: [],
    },
    {
      name: "those of an external template's own rules",
      fields: { external: true, externalRules: [on("nodes")] },
      expected: clusterRoles,
    },
    {
      name: "none for an external template whose ClusterRole is missing",
      fields: { external: true },
      expected: [],
    },
  ] as const) {
    it(`are ${name}`, () => {
      expect(namesOf(managementRoles(template("a", fields), sources()))).to.deep.equal(expected);
    });
  }

  it("take the rules of the ClusterRole of an external template", () => {
    const [role] = managementRoles(template("a", { external: true }), sources([], ["a"]));

    expect(role?.rules).to.deep.equal([on("nodes")]);
  });

  it("bear Rancher's labels, and select what they aggregate", () => {
    const a = template("a", { rules: [on("nodes")], roleTemplateNames: ["b", "c", "b"] });

    const [own, aggregator] = managementRoles(a, sources([template("b"), template("c")]));

    const labels = { "authz.cluster.cattle.io/clusterrole-owner": "a" };
    const feature = { "management.cattle.io/roletemplate-aggregation-mgmt": "true" };
    const aggregates = "management.cattle.io/aggregates";
    expect(own?.metadata.labels).to.deep.equal({
      ...labels,
      ...feature,
      [aggregates]: "a-cluster-mgmt",
    });
    expect(aggregator?.metadata.labels).to.deep.equal({
      ...labels,
      ...feature,
      [aggregates]: "a-cluster-mgmt-aggregator",
    });
    expect(aggregator?.aggregationRule?.clusterRoleSelectors).to.deep.equal(
      ["a-cluster-mgmt", "b-cluster-mgmt-aggregator", "c-cluster-mgmt-aggregator"].map((name) => ({
        matchLabels: { [aggregates]: name },
      })),
    );
    expect(aggregator).not.to.have.property("rules");
  });

  const inheriting = (name: string, ...inherited: string[]) =>
    template(name, { roleTemplateNames: inherited });

  it("are the aggregator alone where only an inherited template has rules", () => {
    const templates = [inheriting("b", "c"), template("c", { rules: [on("nodes")] })];

    const roles = managementRoles(inheriting("a", "b"), sources(templates));

    expect(namesOf(roles)).to.deep.equal(["a-cluster-mgmt-aggregator"]);
  });

  it("reach through templates that have an aggregator of the plane themselves", () => {
    const ofProject = template("b", { context: "project", roleTemplateNames: ["c"] });
    const templates = [ofProject, template("c", { rules: [on("nodes")] })];

    expect(managementRoles(inheriting("a", "b"), sources(templates))).to.deep.equal([]);
  });

  it("end for circles and for templates that are missing", () => {
    const a = inheriting("a", "b", "nowhere");

    expect(managementRoles(a, sources([a, inheriting("b", "a")]))).to.deep.equal([]);
  });

  it("leave out what closes a circle", () => {
    const a = template("a", { rules: [on("nodes")], roleTemplateNames: ["b", "c"] });
    const templates = [a, inheriting("b", "a"), template("c")];

    const [, aggregator] = managementRoles(a, sources(templates));

    const selected = aggregator?.aggregationRule?.clusterRoleSelectors?.map(
      ({ matchLabels }) => Object.values(matchLabels ?? {})[0],
    );
    expect(selected).to.deep.equal(["a-cluster-mgmt", "c-cluster-mgmt-aggregator"]);
  });

  it("have names that fit, and that belong together, for a long template", () => {
    const long = "x".repeat(100);

    const [own, aggregator] = managementRoles(template(long, { rules: [on("nodes")] }), sources());

    const selectors = aggregator?.aggregationRule?.clusterRoleSelectors?.[0]?.matchLabels;
    expect(own?.metadata.name).to.have.length(63);
    expect(Object.values(selectors ?? {})).to.deep.equal([own?.metadata.name]);
  });
});

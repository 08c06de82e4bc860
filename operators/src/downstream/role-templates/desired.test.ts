import type { PolicyRule, RoleTemplate } from "@drover/crds";
import { aRoleTemplate } from "@drover/crds/testing";
import { expect } from "chai";
import type { ClusterRole } from "kopf-ts/kinds";
import { clusterRoles } from "./desired.ts";

const nodes: PolicyRule = { verbs: ["get"], apiGroups: [""], resources: ["nodes"] };
const pods: PolicyRule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const all: PolicyRule = { verbs: ["get"], apiGroups: ["*"], resources: ["*"] };

type Fields = Partial<Omit<RoleTemplate, "metadata">>;
const template = (name: string, fields: Fields = {}): RoleTemplate =>
  aRoleTemplate({ metadata: { name }, context: "project", rules: [pods], ...fields });
const among =
  (...templates: readonly RoleTemplate[]) =>
  (name: string) =>
    templates.find(({ metadata }) => metadata.name === name);
const none = among();

const namesOf = (roles: readonly ClusterRole[]) => roles.map(({ metadata }) => metadata.name);
const selectedBy = (role: ClusterRole | undefined) =>
  role?.aggregationRule?.clusterRoleSelectors?.flatMap(({ matchLabels = {} }) =>
    Object.entries(matchLabels).map((entry) => entry.join("=")),
  );
const named = (roles: readonly ClusterRole[], name: string) =>
  roles.find(({ metadata }) => metadata.name === name);

const own = ["a", "a-aggregator"];
const promoted = ["a-promoted", "a-promoted-aggregator"];

describe("clusterRoles", () => {
  for (const { name, fields, others = [], expected } of [
    { name: "the two of any template", fields: {}, expected: own },
    {
      name: "case 60: promoted ones for nodes",
      fields: { rules: [nodes] },
      expected: [...own, ...promoted],
    },
    {
      name: "case 60: none promoted for namespaced rules",
      fields: { rules: [pods] },
      expected: own,
    },
    {
      name: "none promoted for a cluster's",
      fields: { rules: [nodes], context: "cluster" },
      expected: own,
    },
    {
      name: "an external template's aggregator",
      fields: { external: true },
      expected: ["a-aggregator"],
    },
    {
      name: "an aggregator of promoted rules that are inherited",
      fields: { roleTemplateNames: ["b"] },
      others: [template("b", { roleTemplateNames: ["c"] }), template("c", { rules: [nodes] })],
      expected: [...own, "a-promoted-aggregator"],
    },
    {
      name: "none for rules that a cluster's template has, or leads to",
      fields: { roleTemplateNames: ["b"] },
      others: [
        template("b", { context: "cluster", rules: [nodes], roleTemplateNames: ["c"] }),
        template("c", { rules: [nodes] }),
      ],
      expected: own,
    },
    {
      name: "the same for a locked template",
      fields: { locked: true },
      expected: own,
    },
  ] as readonly {
    readonly name: string;
    readonly fields: Fields;
    readonly others?: readonly RoleTemplate[];
    readonly expected: readonly string[];
  }[]) {
    it(`are ${name}`, () => {
      const { roles } = clusterRoles(template("a", fields), among(...others));

      expect(namesOf(roles)).to.deep.equal(expected);
    });
  }

  it("bear Rancher's labels, and select what they aggregate", () => {
    const { roles } = clusterRoles(
      template("a", { rules: [nodes], roleTemplateNames: ["b", "b"] }),
      among(template("b", { rules: [nodes] })),
    );

    const labels = {
      "authz.cluster.cattle.io/clusterrole-owner": "a",
      "management.cattle.io/roletemplate-aggregation": "true",
    };
    const aggregates = "management.cattle.io/aggregates";
    for (const { metadata } of roles) {
      expect(metadata.labels).to.deep.equal({ ...labels, [aggregates]: metadata.name });
    }
    expect(named(roles, "a")?.rules).to.deep.equal([nodes]);
    expect(selectedBy(named(roles, "a-aggregator"))).to.deep.equal([
      `${aggregates}=a`,
      `${aggregates}=b-aggregator`,
    ]);
    expect(named(roles, "a-aggregator")).not.to.have.property("rules");
    expect(selectedBy(named(roles, "a-promoted-aggregator"))).to.deep.equal([
      `${aggregates}=a-promoted`,
      `${aggregates}=b-promoted-aggregator`,
    ]);
  });

  it("case 61: promote exactly seven resources of everything, clusters by the name of the local one", () => {
    const { roles } = clusterRoles(template("a", { rules: [all] }), none);

    const rules = named(roles, "a-promoted")?.rules ?? [];
    expect(
      rules.map(({ apiGroups, resources }) => `${apiGroups}/${resources}`).toSorted(),
    ).to.deep.equal([
      "/nodes",
      "/persistentvolumes",
      "apiregistration.k8s.io/apiservices",
      "catalog.cattle.io/clusterrepos",
      "management.cattle.io/clusters",
      "storage.k8s.io/storageclasses",
      "ui.cattle.io/navlinks",
    ]);
    expect(rules.filter(({ resourceNames }) => resourceNames !== undefined)).to.deep.equal([
      {
        verbs: ["get"],
        apiGroups: ["management.cattle.io"],
        resources: ["clusters"],
        resourceNames: ["local"],
      },
    ]);
  });

  it("leave out what closes a circle, since its rules could never be taken back, and say so", () => {
    const a = template("a", { roleTemplateNames: ["b", "c"] });
    const find = among(a, template("b", { roleTemplateNames: ["a"] }), template("c"));

    const { roles, circular } = clusterRoles(a, find);

    expect(circular).to.deep.equal(["b"]);
    expect(selectedBy(named(roles, "a-aggregator"))?.join()).not.to.contain("b-aggregator");
    expect(selectedBy(named(roles, "a-aggregator"))?.join()).to.contain("c-aggregator");
  });

  it("select a missing template too, which counts once it is there, and say so", () => {
    const { roles, missing } = clusterRoles(template("a", { roleTemplateNames: ["b"] }), none);

    expect(missing).to.deep.equal(["b"]);
    expect(selectedBy(named(roles, "a-aggregator"))?.join()).to.contain("b-aggregator");
  });

  it("have rules as the API server stores them, and tell what it would not store", () => {
    const empty = clusterRoles(template("a", { rules: [] }), none).roles;
    const { faults } = clusterRoles(template("a", { rules: [{ ...pods, verbs: [] }] }), none);

    expect(named(empty, "a")?.rules).to.equal(null);
    expect(faults.join()).to.match(/^rules\[0\]\.verbs is empty/);
  });

  it("have names that fit, and that belong together, for a long template", () => {
    const long = "x".repeat(100);

    const { roles } = clusterRoles(template(long, { rules: [nodes] }), none);

    expect(roles.filter(({ metadata }) => metadata.name.length > 63)).to.deep.equal([]);
    expect(new Set(namesOf(roles)).size).to.equal(4);
    expect(selectedBy(roles[1])?.[0]).to.contain(roles[0]?.metadata.name);
  });
});

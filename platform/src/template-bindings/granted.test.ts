import { RoleTemplate, roleTemplateLabels } from "@drover/crds";
import { aRoleTemplate } from "@drover/crds/testing";
import { expect } from "chai";
import { type CacheAccess, type Kind, type KubeObject, refTo } from "kopf-ts";
import { ClusterRole, type PolicyRule } from "kopf-ts/kinds";
import { grantedRules, roleOf } from "./granted.ts";

const on = (resource: string): PolicyRule => ({
  verbs: ["get"],
  apiGroups: [""],
  resources: [resource],
});
const template = (name: string, fields: Partial<Omit<RoleTemplate, "metadata">> = {}) =>
  aRoleTemplate({ metadata: { name }, rules: [on("nodes")], ...fields });
const aggregator = (rules: readonly PolicyRule[] | null, owner = "a"): ClusterRole => ({
  ...refTo(ClusterRole, "a-aggregator"),
  metadata: {
    name: "a-aggregator",
    labels: { [roleTemplateLabels.clusterRoleOwner]: owner },
  },
  rules,
});

/** Caches that hold these. */
const holding = (...objects: readonly KubeObject[]): CacheAccess =>
  ((kind: Kind) => ({
    get: (name: string) =>
      objects.find((each) => each.kind === kind.kind && each.metadata.name === name),
  })) as unknown as CacheAccess;

describe("grantedRules", () => {
  for (const { name, objects, expected } of [
    { name: "the aggregated ones", objects: [aggregator([on("pods")])], expected: ["pods"] },
    { name: "the template's while nothing is aggregated", objects: [], expected: ["nodes"] },
    {
      name: "the template's while the aggregator is empty",
      objects: [aggregator(null)],
      expected: ["nodes"],
    },
    {
      name: "the template's where the aggregator is a stranger's",
      objects: [aggregator([on("pods")], "b")],
      expected: ["nodes"],
    },
  ]) {
    it(`are ${name}`, () => {
      const { rules, problem } = grantedRules(template("a"), holding(...objects));

      expect(rules).to.deep.equal(expected.map(on));
      expect(problem).to.equal(undefined);
    });
  }

  it("are those of all that the template inherits", () => {
    const inherited = template("b", { rules: [on("secrets")] });

    const { rules } = grantedRules(template("a", { roleTemplateNames: ["b"] }), holding(inherited));

    expect(rules).to.deep.equal([on("nodes"), on("secrets")]);
  });

  it("are those of the ClusterRole of an external template", () => {
    const theirs = { ...refTo(ClusterRole, "a"), rules: [on("pods")] };

    const { rules } = grantedRules(template("a", { external: true, rules: [] }), holding(theirs));

    expect(rules).to.deep.equal([on("pods")]);
  });

  for (const { name, inherits, objects, expected } of [
    { name: "what is missing", inherits: "nowhere", objects: [], expected: /nowhere/ },
    { name: "itself", inherits: "a", objects: [template("a")], expected: /a/ },
  ]) {
    it(`are the template's own where it inherits ${name}, and that is told`, () => {
      const circling = template("a", { roleTemplateNames: [inherits] });

      const { rules, problem } = grantedRules(circling, holding(...objects));

      expect(rules).to.deep.equal([on("nodes")]);
      expect(problem).to.match(expected);
    });
  }
});

describe("roleOf", () => {
  it("knows the template's roles by their label", () => {
    const name = (each: string): string => `${each}-aggregator`;

    expect(roleOf(template("a"), name, holding(aggregator([])))).not.to.equal(undefined);
    expect(roleOf(template("a"), name, holding(aggregator([], "b")))).to.equal(undefined);
    expect(roleOf(template("a"), name, holding(refTo(RoleTemplate, "a-aggregator")))).to.equal(
      undefined,
    );
  });
});

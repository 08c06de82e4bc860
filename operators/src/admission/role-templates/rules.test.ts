import type { RoleTemplate } from "@drover/crds";
import { aRoleTemplate } from "@drover/crds/testing";
import { expect } from "chai";
import { changedFields, changeProblem, newProblem, templateProblem } from "./rules.ts";

const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }];

describe("templateProblem", () => {
  for (const { name, template, problem } of [
    { name: "of context cluster", template: {}, problem: undefined },
    { name: "of context project", template: { context: "project" }, problem: undefined },
    { name: "of no context", template: { context: "" }, problem: undefined },
    { name: "of a strange context", template: { context: "node" }, problem: "context must be" },
    { name: "administrative", template: { administrative: true }, problem: undefined },
    {
      name: "administrative in projects",
      template: { context: "project", administrative: true },
      problem: "administrative must not be true",
    },
    {
      name: "for creators of projects",
      template: { context: "project", projectCreatorDefault: true },
      problem: undefined,
    },
    {
      name: "of no context for creators of projects",
      template: { context: "", projectCreatorDefault: true },
      problem: "projectCreatorDefault must not be true",
    },
    {
      name: "for creators of clusters",
      template: { clusterCreatorDefault: true },
      problem: undefined,
    },
    {
      name: "external with rules",
      template: { external: true, externalRules: rules },
      problem: undefined,
    },
    {
      name: "not external with rules, even none",
      template: { externalRules: [] },
      problem: "externalRules must not be set",
    },
    {
      name: "with a rule without verbs",
      template: { rules: [...rules, { ...rules[0], verbs: [] }] },
      problem: "rules[1].verbs is empty",
    },
    {
      name: "with an external rule on nothing",
      template: { external: true, externalRules: [{ verbs: ["get"] }] },
      problem: "externalRules[0].apiGroups is empty",
    },
    {
      name: "with a rule on URLs",
      template: { rules: [{ verbs: ["get"], nonResourceURLs: ["/healthz"] }] },
      problem: undefined,
    },
  ]) {
    it(`is ${problem === undefined ? "none" : "told"} for one ${name}`, () => {
      const found = templateProblem({ ...aRoleTemplate(), ...template } as RoleTemplate);

      if (problem === undefined) expect(found).to.equal(undefined);
      else expect(found).to.contain(problem);
    });
  }
});

describe("changes of role templates", () => {
  const plain = aRoleTemplate();
  const builtin = aRoleTemplate({ builtin: true });

  it("never make one builtin, nor a builtin one not", () => {
    expect(newProblem(builtin)).to.contain("builtin must not be true");
    expect(newProblem(plain)).to.equal(undefined);
    expect(changeProblem(plain, { ...plain, builtin: true })).to.contain("builtin is immutable");
    expect(changeProblem(builtin, { ...builtin, builtin: false })).to.contain(
      "builtin is immutable",
    );
  });

  for (const { change, fixed } of [
    { change: { locked: true }, fixed: false },
    { change: { clusterCreatorDefault: true }, fixed: false },
    { change: { projectCreatorDefault: true }, fixed: false },
    { change: { metadata: { name: "x", labels: { a: "b" } } }, fixed: false },
    { change: { hidden: true }, fixed: true },
    { change: { displayName: "x" }, fixed: true },
    { change: { rules }, fixed: true },
    { change: { roleTemplateNames: ["x"] }, fixed: true },
    { change: { context: "project" as const }, fixed: true },
  ]) {
    const [field = ""] = Object.keys(change);
    it(`${fixed ? "refuse" : "allow"} ${field} of a builtin one, and allow it of others`, () => {
      const found = changeProblem(builtin, { ...builtin, ...change });

      if (fixed) expect(found).to.contain(`${field} of a builtin role template cannot be changed`);
      else expect(found).to.equal(undefined);
      expect(changeProblem(plain, { ...plain, ...change })).to.equal(undefined);
    });
  }

  it("tell empty externalRules from none: without them a ClusterRole's rules count", () => {
    const external = aRoleTemplate({ external: true });

    expect(changedFields({ ...external, externalRules: [] }, external)).to.deep.equal([
      "externalRules",
    ]);
    expect(changedFields(external, external)).to.deep.equal([]);
  });
});

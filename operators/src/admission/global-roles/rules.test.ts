import { aGlobalRole, aRoleTemplate } from "@drover/crds/testing";
import { expect } from "chai";
import {
  changeProblem,
  inheritedProblem,
  newlyInherited,
  newProblem,
  rulesProblem,
} from "./rules.ts";

const rule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const url = { verbs: ["get"], nonResourceURLs: ["/healthz"] };

describe("rulesProblem", () => {
  for (const { name, role, problem } of [
    { name: "rules on URLs", role: { rules: [url] }, problem: undefined },
    { name: "no rules", role: { rules: [] }, problem: undefined },
    { name: "rules in a namespace", role: { namespacedRules: { ns: [rule] } }, problem: undefined },
    {
      name: "URLs in a namespace",
      role: { namespacedRules: { a: [rule], ns: [rule, url] } },
      problem: "namespacedRules[ns][1].nonResourceURLs is set",
    },
    {
      name: "URLs in a namespace of managed clusters",
      role: { inheritedNamespacedRules: { ns: [url] } },
      problem: "inheritedNamespacedRules[ns][0].nonResourceURLs is set",
    },
    {
      name: "URLs in workspaces",
      role: { inheritedFleetWorkspacePermissions: { resourceRules: [url] } },
      problem: "inheritedFleetWorkspacePermissions.resourceRules[0].nonResourceURLs is set",
    },
    {
      name: "an empty list of verbs on workspaces",
      role: { inheritedFleetWorkspacePermissions: { workspaceVerbs: [] } },
      problem: "inheritedFleetWorkspacePermissions.workspaceVerbs is empty",
    },
    {
      name: "workspaces without verbs",
      role: { inheritedFleetWorkspacePermissions: { resourceRules: [rule] } },
      problem: undefined,
    },
    {
      name: "a rule without verbs",
      role: { rules: [rule, { ...rule, verbs: [] }] },
      problem: "rules[1].verbs is empty",
    },
  ]) {
    it(`is ${problem === undefined ? "none" : "told"} for ${name}`, () => {
      const found = rulesProblem(aGlobalRole(role));

      if (problem === undefined) expect(found).to.equal(undefined);
      else expect(found).to.contain(problem);
    });
  }
});

describe("changes of global roles", () => {
  const plain = aGlobalRole();
  const builtin = aGlobalRole({ builtin: true });

  it("never make one builtin, nor a builtin one not", () => {
    expect(newProblem(builtin)).to.contain("builtin must not be true");
    expect(newProblem(plain)).to.equal(undefined);
    expect(changeProblem(plain, { ...plain, builtin: true })).to.contain("builtin is immutable");
    expect(changeProblem(builtin, { ...builtin, builtin: false })).to.contain(
      "builtin is immutable",
    );
  });

  it("leave all but newUserDefault and metadata of a builtin one", () => {
    const relabelled = { ...builtin.metadata, labels: { a: "b" } };

    expect(changeProblem(builtin, { ...builtin, newUserDefault: true })).to.equal(undefined);
    expect(changeProblem(builtin, { ...builtin, metadata: relabelled })).to.equal(undefined);
    expect(changeProblem(builtin, { ...builtin, rules: [rule] })).to.contain("rules of a builtin");
    expect(changeProblem(plain, { ...plain, rules: [rule] })).to.equal(undefined);
  });
});

describe("templates that a global role inherits", () => {
  it("are judged when they are new", () => {
    const before = aGlobalRole({ inheritedClusterRoles: ["a", "b"] });
    const after = aGlobalRole({ inheritedClusterRoles: ["b", "c"] });

    expect(newlyInherited(before, after)).to.deep.equal(["c"]);
    expect(newlyInherited(undefined, after)).to.deep.equal(["b", "c"]);
    expect(newlyInherited(before, aGlobalRole())).to.deep.equal([]);
  });

  it("are of context cluster and not locked", () => {
    expect(inheritedProblem(aRoleTemplate())).to.equal(undefined);
    expect(inheritedProblem(aRoleTemplate({ context: "project" }))).to.contain("context cluster");
    expect(inheritedProblem(aRoleTemplate({ context: "" }))).to.contain("context cluster");
    expect(inheritedProblem(aRoleTemplate({ locked: true }))).to.contain("not locked");
  });
});

import { type ClusterRoleTemplateBinding, labels } from "@drover/crds";
import { aClusterRoleTemplateBinding, aRoleTemplate } from "@drover/crds/testing";
import { expect } from "chai";
import { bindingProblem, changeProblem, namesOthers, templateProblem } from "./rules.ts";

const binding = aClusterRoleTemplateBinding();

describe("bindingProblem, in a cluster", () => {
  for (const { name, fields, problem } of [
    { name: "a whole binding", fields: {}, problem: undefined },
    { name: "two classes of subjects", fields: { groupName: "g" }, problem: "must target" },
    { name: "no cluster", fields: { clusterName: "" }, problem: "clusterName is empty" },
    {
      name: "the cluster of another namespace",
      fields: { clusterName: "c-other" },
      problem: "clusterName must be the binding's namespace, c-abcde",
    },
    { name: "no role", fields: { roleTemplateName: "" }, problem: "roleTemplateName is empty" },
  ]) {
    it(`is ${problem === undefined ? "none" : "told"} for ${name}`, () => {
      const found = bindingProblem({ ...binding, ...fields });

      if (problem === undefined) expect(found).to.equal(undefined);
      else expect(found).to.contain(problem);
    });
  }
});

describe("changes of bindings in a cluster", () => {
  const withOwner = (value: string): ClusterRoleTemplateBinding => ({
    ...binding,
    metadata: { ...binding.metadata, labels: { [labels.globalRoleBindingOwner]: value } },
  });

  for (const { name, before, after, problem, others } of [
    { name: "nothing", before: binding, after: binding, problem: undefined, others: false },
    {
      name: "the role",
      before: binding,
      after: { ...binding, roleTemplateName: "x" },
      problem: "roleTemplateName is immutable",
      others: false,
    },
    {
      name: "the cluster",
      before: binding,
      after: { ...binding, clusterName: "x" },
      problem: "clusterName is immutable",
      others: false,
    },
    {
      name: "a subject that was set",
      before: binding,
      after: { ...binding, userName: "x" },
      problem: "userName is set once",
      others: true,
    },
    {
      name: "a subject of the same class",
      before: binding,
      after: { ...binding, userPrincipalName: "local://x" },
      problem: undefined,
      others: true,
    },
    {
      name: "a subject of another class",
      before: binding,
      after: { ...binding, groupPrincipalName: "x://y" },
      problem: "must target",
      others: true,
    },
    {
      name: "the owner's label, added",
      before: binding,
      after: withOwner("a"),
      problem: "is immutable",
      others: false,
    },
    {
      name: "the owner's label, changed",
      before: withOwner("a"),
      after: withOwner("b"),
      problem: "is immutable",
      others: false,
    },
    {
      name: "a label of an old binding with two classes",
      before: { ...binding, groupName: "g" },
      after: {
        ...binding,
        groupName: "g",
        metadata: { ...binding.metadata, labels: { color: "blue" } },
      },
      problem: undefined,
      others: false,
    },
  ]) {
    it(`are ${problem === undefined ? "allowed" : "refused"} of ${name}`, () => {
      const found = changeProblem(before, after);

      if (problem === undefined) expect(found).to.equal(undefined);
      else expect(found).to.contain(problem);
      expect(namesOthers(before, after)).to.equal(others);
    });
  }
});

describe("templateProblem, in a cluster", () => {
  for (const { name, template, excused, problem } of [
    { name: "one of context cluster", template: {}, excused: false, problem: undefined },
    {
      name: "one of context project",
      template: { context: "project" },
      excused: true,
      problem: "context cluster",
    },
    { name: "a locked one", template: { locked: true }, excused: false, problem: "not locked" },
    {
      name: "a locked one with an owner",
      template: { locked: true },
      excused: true,
      problem: undefined,
    },
  ] as const) {
    it(`is ${problem === undefined ? "none" : "told"} for ${name}`, () => {
      const found = templateProblem(aRoleTemplate(template), excused);

      if (problem === undefined) expect(found).to.equal(undefined);
      else expect(found).to.contain(problem);
    });
  }
});

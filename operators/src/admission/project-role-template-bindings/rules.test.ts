import { aProject, aProjectRoleTemplateBinding, aRoleTemplate } from "@drover/crds/testing";
import { expect } from "chai";
import {
  backingNamespace,
  bindingProblem,
  changeProblem,
  namesOthers,
  parseProjectName,
  templateProblem,
} from "./rules.ts";

const binding = aProjectRoleTemplateBinding();

describe("parseProjectName", () => {
  for (const { text, expected } of [
    { text: "c-1:p-1", expected: { cluster: "c-1", project: "p-1" } },
    { text: "p-1", expected: undefined },
    { text: "c-1:", expected: undefined },
    { text: ":p-1", expected: undefined },
    { text: "c-1:p-1:x", expected: undefined },
    { text: "", expected: undefined },
  ]) {
    it(`of "${text}"`, () => expect(parseProjectName(text)).to.deep.equal(expected));
  }
});

describe("bindingProblem, in a project", () => {
  for (const { name, fields, problem } of [
    { name: "a whole binding", fields: {}, problem: undefined },
    {
      name: "a service account",
      fields: { userName: "", serviceAccount: "ns:bot" },
      problem: undefined,
    },
    {
      name: "a service account of another form",
      fields: { userName: "", serviceAccount: "ns:bot:x" },
      problem: "serviceAccount must have the form",
    },
    { name: "two classes", fields: { serviceAccount: "ns:bot" }, problem: "must target" },
    { name: "no project", fields: { projectName: "" }, problem: "projectName is empty" },
    { name: "half a project", fields: { projectName: "p-1" }, problem: "projectName must have" },
    { name: "no role", fields: { roleTemplateName: "" }, problem: "roleTemplateName is empty" },
  ]) {
    it(`is ${problem === undefined ? "none" : "told"} for ${name}`, () => {
      const found = bindingProblem({ ...binding, ...fields });

      if (problem === undefined) expect(found).to.equal(undefined);
      else expect(found).to.contain(problem);
    });
  }
});

describe("changes of bindings in a project", () => {
  for (const { change, problem, others } of [
    { change: { roleTemplateName: "x" }, problem: "roleTemplateName is immutable", others: false },
    { change: { projectName: "c:x" }, problem: "projectName is immutable", others: false },
    { change: { serviceAccount: "ns:bot" }, problem: "serviceAccount is immutable", others: true },
    { change: { userName: "x" }, problem: "userName is set once", others: true },
    { change: { userPrincipalName: "local://x" }, problem: undefined, others: true },
    { change: { groupName: "g" }, problem: "must target", others: true },
    {
      change: { metadata: { ...binding.metadata, labels: { a: "b" } } },
      problem: undefined,
      others: false,
    },
  ]) {
    it(`are ${problem === undefined ? "allowed" : "refused"} of ${Object.keys(change).join()}`, () => {
      const after = { ...binding, ...change };

      const found = changeProblem(binding, after);

      if (problem === undefined) expect(found).to.equal(undefined);
      else expect(found).to.contain(problem);
      expect(namesOthers(binding, after)).to.equal(others);
    });
  }
});

describe("backingNamespace", () => {
  it("is that of the status, or of the project's own name", () => {
    const project = aProject({ metadata: { name: "p-1" } });

    expect(backingNamespace({ ...project, status: { backingNamespace: "c-1-p-1" } })).to.equal(
      "c-1-p-1",
    );
    expect(backingNamespace({ ...project, status: { backingNamespace: "" } })).to.equal("p-1");
    expect(backingNamespace(project)).to.equal("p-1");
  });
});

describe("templateProblem, in a project", () => {
  for (const { name, template, problem } of [
    { name: "of context project", template: { context: "project" }, problem: undefined },
    { name: "of context cluster", template: {}, problem: "context project" },
    { name: "of no context", template: { context: "" }, problem: "context project" },
    {
      name: "that is locked",
      template: { context: "project", locked: true },
      problem: "not locked",
    },
  ] as const) {
    it(`is ${problem === undefined ? "none" : "told"} for one ${name}`, () => {
      const found = templateProblem(aRoleTemplate(template));

      if (problem === undefined) expect(found).to.equal(undefined);
      else expect(found).to.contain(problem);
    });
  }
});

import { expect } from "chai";
import { aProject } from "../testing/fixtures.ts";
import { backingNamespaceOf, idOfProject, projectNames } from "./project-names.ts";

describe("projectNames", () => {
  for (const { cluster, project, expected } of [
    { cluster: "c-x", project: "p-abcde", expected: "c-x-p-abcde" },
    { cluster: "c-x", project: "P-ABC", expected: "c-x-p-abc" },
    { cluster: "c-m-abcdefgh", project: "p-xyz12", expected: "c-m-abcdefgh-p-xyz12" },
  ]) {
    it(`backs ${project} of ${cluster} by ${expected}`, () => {
      expect(projectNames.backingNamespace(cluster, project)).to.equal(expected);
    });
  }

  it("are Rancher's", () => {
    expect(projectNames.memberRole("p-x")).to.equal("p-x-projectmember");
    expect(projectNames.ownerRole("p-x")).to.equal("p-x-projectowner");
    expect(projectNames.namespacesReadonly("p-x")).to.equal("p-x-namespaces-readonly");
    expect(projectNames.namespacesEdit("p-x")).to.equal("p-x-namespaces-edit");
    expect(projectNames.namespacesPsa("p-x")).to.equal("p-x-namespaces-psa");
    expect(projectNames.systemPrincipal("p-x")).to.equal("system://p-x");
  });

  it("have at most 63 characters, and differ where those before the cut do not", () => {
    const [one, other] = ["a", "b"].map((end) => `${"p".repeat(200)}${end}`) as [string, string];
    const makers = Object.entries(projectNames).filter(([name]) => name !== "systemPrincipal");

    for (const [, make] of makers as [string, (...names: string[]) => string][]) {
      expect(make(one, one).length).to.be.at.most(63);
      expect(make(one, one)).not.to.equal(make(other, other));
    }
  });
});

describe("idOfProject", () => {
  it("names cluster and project", () => {
    const project = aProject({ metadata: { namespace: "c-x", name: "p-y" } });

    expect(idOfProject(project)).to.equal("c-x:p-y");
  });
});

describe("backingNamespaceOf", () => {
  const metadata = { namespace: "c-x", name: "p-y" };
  for (const { status, expected } of [
    { status: { backingNamespace: "c-x-p-y" }, expected: "c-x-p-y" },
    { status: { backingNamespace: "" }, expected: "p-y" },
    { status: {}, expected: "p-y" },
    { status: undefined, expected: "p-y" },
  ]) {
    it(`is ${expected} for status ${JSON.stringify(status)}`, () => {
      expect(backingNamespaceOf(aProject({ metadata, ...(status && { status }) }))).to.equal(
        expected,
      );
    });
  }
});

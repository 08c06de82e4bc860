import { type Project, projectNames } from "@drover/crds";
import { aProject } from "@drover/crds/testing";
import { expect } from "chai";
import { backingNamespaceProblem, containerProblem, placeProblem } from "./rules.ts";

const inCluster = (clusterName: string, namespace = "c-a"): Project =>
  aProject({ metadata: { namespace }, spec: { displayName: "x", clusterName } });
const backedBy = (backingNamespace: string | undefined): Project =>
  aProject(backingNamespace === undefined ? {} : { status: { backingNamespace } });

describe("where a project is", () => {
  for (const { name, after, before, expected } of [
    { name: "in the namespace of its cluster", after: inCluster("c-a"), expected: undefined },
    { name: "nowhere", after: inCluster(""), expected: "spec.clusterName is required" },
    {
      name: "in another namespace",
      after: inCluster("c-b"),
      expected: "spec.clusterName must be the same as the namespace",
    },
    {
      name: "in another cluster than before",
      before: inCluster("c-a"),
      after: inCluster("c-b"),
      expected: "spec.clusterName must not be changed",
    },
    { name: "where it always was", before: inCluster("c-b"), after: inCluster("c-b") },
  ]) {
    it(`${expected === undefined ? "may" : "must not"} be ${name}`, () => {
      expect(placeProblem(after, before)).to.equal(expected);
    });
  }
});

describe("the namespace of a project", () => {
  for (const { before, after, expected } of [
    { before: undefined, after: "kube-system", expected: "fine" },
    { before: "", after: "c-a-p-b", expected: "fine" },
    { before: "c-a-p-b", after: "c-a-p-b", expected: "fine" },
    { before: "c-a-p-b", after: "kube-system", expected: "wrong" },
    { before: "c-a-p-b", after: "", expected: "wrong" },
    { before: "c-a-p-b", after: undefined, expected: "wrong" },
  ]) {
    it(`is ${expected} when ${before} becomes ${after}`, () => {
      expect(backingNamespaceProblem(backedBy(after), backedBy(before))).to.equal(
        expected === "fine" ? undefined : "status.backingNamespace must not be changed",
      );
    });
  }

  for (const { cluster, project, expected } of [
    { cluster: "c-x", project: "p-abcde", expected: "c-x-p-abcde" },
    { cluster: "c-x", project: "P-ABC", expected: "c-x-p-abc" },
    {
      cluster: "c-m-abcdefgh",
      project: "p".repeat(63),
      expected: /^c-m-abcdefgh-p{44}-[0-9a-f]{5}$/,
    },
  ]) {
    it(`case 29: of ${project} in ${cluster} is ${expected}`, () => {
      expect(projectNames.backingNamespace(cluster, project)).to.match(new RegExp(expected));
      expect(projectNames.backingNamespace(cluster, project).length).to.be.at.most(63);
    });
  }
});

describe("limits of a project's containers", () => {
  const limited = (limitsCpu: string): Project =>
    aProject({
      spec: {
        displayName: "x",
        clusterName: "c-abcde",
        containerDefaultResourceLimit: { requestsCpu: "1", limitsCpu },
      },
    });

  it("must not be below the requests", () => {
    expect(containerProblem(limited("2"), undefined)).to.equal(undefined);
    expect(containerProblem(limited("500m"), undefined)).to.equal(
      "spec.containerDefaultResourceLimit.requestsCpu must not be above limitsCpu",
    );
  });

  it("may stay as they are, and go", () => {
    expect(containerProblem(limited("500m"), limited("500m"))).to.equal(undefined);
    expect(containerProblem(aProject(), limited("500m"))).to.equal(undefined);
  });
});

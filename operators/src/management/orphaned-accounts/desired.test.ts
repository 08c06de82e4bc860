import { aUser } from "@drover/crds/testing";
import { expect } from "chai";
import { judgedFrom, keyOfSubject, subjectOf } from "./desired.ts";

describe("subjectOf", () => {
  const system = ["local://u-x", "system://c-abc"];
  for (const { name, displayName, principalIds = system, expected } of [
    {
      name: "the cluster",
      displayName: "System account for Cluster c-abc",
      expected: { of: "cluster", name: "c-abc" },
    },
    {
      name: "the project",
      displayName: "System account for Project p-abc",
      expected: { of: "project", name: "p-abc" },
    },
    { name: "nothing of another account", displayName: "System", expected: undefined },
    {
      name: "nothing without a name",
      displayName: "System account for Cluster ",
      expected: undefined,
    },
    {
      name: "nothing in other letters",
      displayName: "system account for cluster c-abc",
      expected: undefined,
    },
    {
      name: "nothing where there is no name of an object",
      displayName: "System account for Project a,metadata.namespace=b",
      expected: undefined,
    },
    {
      name: "nothing of a person, whatever the name",
      displayName: "System account for Cluster c-abc",
      principalIds: ["local://u-x"],
      expected: undefined,
    },
  ]) {
    it(`finds ${name}`, () => {
      expect(subjectOf(aUser({ displayName, principalIds }))).to.deep.equal(expected);
    });
  }
});

describe("keyOfSubject", () => {
  it("tells clusters and projects of one name apart", () => {
    const keys = (["cluster", "project"] as const).map((of) => keyOfSubject({ of, name: "x" }));
    expect(new Set(keys).size).to.equal(2);
  });
});

describe("judgedFrom", () => {
  for (const { creationTimestamp, expected } of [
    { creationTimestamp: "2026-01-01T00:00:00Z", expected: Date.parse("2026-01-01T01:00:00Z") },
    { creationTimestamp: "", expected: Number.POSITIVE_INFINITY },
  ]) {
    it(`is ${expected} for an account of "${creationTimestamp}"`, () => {
      expect(judgedFrom(aUser({ metadata: { creationTimestamp } }))).to.equal(expected);
    });
  }
});

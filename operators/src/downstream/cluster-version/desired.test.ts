import { expect } from "chai";
import { parseVersion } from "./desired.ts";

const answer = {
  major: "1",
  minor: "35",
  gitVersion: "v1.35.0+k3s1",
  gitCommit: "abc",
  gitTreeState: "clean",
  buildDate: "2026-01-01T00:00:00Z",
  goVersion: "go1.25",
  compiler: "gc",
  platform: "linux/amd64",
};

describe("the version in an answer", () => {
  it("is all of it but what servers of one cluster may differ in", () => {
    const version = parseVersion(JSON.stringify({ ...answer, emulationMajor: "1" }));

    expect(version).to.deep.equal({ ...answer, buildDate: "", platform: "" });
  });

  it("has every field, also where the server tells few", () => {
    expect(parseVersion('{"gitVersion":"v1.0.0","major":1}')).to.deep.equal({
      ...Object.fromEntries(Object.keys(answer).map((field) => [field, ""])),
      gitVersion: "v1.0.0",
    });
  });

  for (const body of ["", "ok", "null", "[]", "{}", '{"gitVersion":""}', '{"gitVersion":1}']) {
    it(`is not in ${body || "an empty one"}`, () => {
      expect(parseVersion(body)).to.equal(undefined);
    });
  }
});

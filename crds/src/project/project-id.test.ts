import { expect } from "chai";
import { parseProjectId, projectIdOf, projectKeyOf } from "./project-id.ts";

describe("parseProjectId", () => {
  for (const { text, expected } of [
    { text: "c-1:p-1", expected: { cluster: "c-1", project: "p-1" } },
    { text: "", expected: undefined },
    { text: "p-1", expected: undefined },
    { text: ":p-1", expected: undefined },
    { text: "c-1:", expected: undefined },
    { text: "c-1:p-1:x", expected: undefined },
    { text: "c.1:p.1-x", expected: { cluster: "c.1", project: "p.1-x" } },
    { text: "c-1:..", expected: undefined },
    { text: "c-1:p-1/status", expected: undefined },
    { text: "c-1:P 1", expected: undefined },
    { text: `c-1:${"p".repeat(254)}`, expected: undefined },
  ]) {
    it(`reads "${text}"`, () => expect(parseProjectId(text)).to.deep.equal(expected));
  }
});

describe("projectIdOf", () => {
  it("is what the annotation says, and the key of the Project", () => {
    const metadata = { name: "shop", annotations: { "field.cattle.io/projectId": "c-1:p-1" } };

    const id = projectIdOf({ apiVersion: "v1", kind: "Namespace", metadata });

    expect(id && projectKeyOf(id)).to.equal("c-1/p-1");
  });

  it("is none without annotation", () => {
    expect(projectIdOf({ apiVersion: "v1", kind: "Namespace", metadata: { name: "x" } })).to.equal(
      undefined,
    );
  });
});

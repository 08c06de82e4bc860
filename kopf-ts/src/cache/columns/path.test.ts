import { expect } from "chai";
import { parsePath } from "./path.ts";

describe("parsePath", () => {
  for (const { text, expected } of [
    { text: "a", expected: ["a"] },
    { text: "status.phase", expected: ["status", "phase"] },
    {
      text: "metadata.labels[app.kubernetes.io/name]",
      expected: ["metadata", "labels", "app.kubernetes.io/name"],
    },
    { text: "spec.containers[0].image", expected: ["spec", "containers", 0, "image"] },
    { text: "a[b][c]", expected: ["a", "b", "c"] },
    { text: "a.0", expected: ["a", "0"] },
  ]) {
    it(`reads ${text}`, () => expect(parsePath(text)).to.deep.equal(expected));
  }

  for (const text of ["", ".", "a.", ".a", "a..b", "a[", "a[]", "a]b", "[a]", "a[b]c", "a.[b]"]) {
    it(`refuses ${JSON.stringify(text)}`, () =>
      expect(() => parsePath(text)).to.throw("not a path"));
  }
});

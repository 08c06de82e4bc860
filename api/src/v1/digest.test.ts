import { expect } from "chai";
import { keyOf } from "./digest.ts";

describe("keyOf", () => {
  const long = "x".repeat(10_000);

  it("keeps short lines as they are", () => expect(keyOf("a", "b")).to.equal("a\nb"));

  it("is short for lines of any length", () => {
    expect(keyOf(long, "a").length).to.be.at.most(512);
  });

  it("is another one for other lines, and the same for the same ones", () => {
    const lines = [
      ...[
        ["a", "b"],
        ["a", "", "b"],
        ["", "a", "b"],
        ["ab", ""],
      ],
      ...[
        [long, "a"],
        [long, "b"],
        ["a", long],
        [`${long}a`, ""],
      ],
    ] as [string, string][];
    const keys = lines.map((each) => keyOf(...each));

    expect(new Set(keys).size).to.equal(lines.length);
    expect(lines.map((each) => keyOf(...each))).to.deep.equal(keys);
  });
});

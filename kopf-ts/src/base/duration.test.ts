import { expect } from "chai";
import { parseDuration } from "./duration.ts";

describe("parseDuration", () => {
  for (const { text, expected } of [
    { text: "45s", expected: 45_000 },
    { text: "1m30s", expected: 90_000 },
    { text: "1.5h", expected: 5_400_000 },
    { text: ".5s", expected: 500 },
    { text: "250ms", expected: 250 },
    { text: "500us", expected: 0.5 },
    { text: "500µs", expected: 0.5 },
    { text: "0h0m10s", expected: 10_000 },
    { text: "0", expected: 0 },
    { text: "-3s", expected: -3000 },
    { text: "+3s", expected: 3000 },
    { text: "45", expected: undefined },
    { text: "", expected: undefined },
    { text: ".s", expected: undefined },
    { text: "3d", expected: undefined },
    { text: " 3s", expected: undefined },
    { text: "3s; drop", expected: undefined },
    { text: "1h-3m", expected: undefined },
  ]) {
    it(`reads "${text}" as ${expected}`, () => expect(parseDuration(text)).to.equal(expected));
  }

  it("takes long texts in time that grows with their length", () => {
    expect(parseDuration("1".repeat(100_000))).to.equal(undefined);
    expect(parseDuration(`${"1s".repeat(10_000)}!`)).to.equal(undefined);
  });
});

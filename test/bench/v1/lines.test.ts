import { expect } from "chai";
import { Lines } from "./lines.ts";

describe("Lines", () => {
  for (const { name, chunks, expected } of [
    { name: "joins what comes in parts", chunks: ["a", "b", "c\nd"], expected: ["abc"] },
    { name: "cuts what comes at once", chunks: ["a\nb\n\nc\n"], expected: ["a", "b", "", "c"] },
    { name: "takes an end that comes alone", chunks: ["a", "\n", "b\n"], expected: ["a", "b"] },
  ]) {
    it(name, () => {
      const told: string[] = [];
      const lines = new Lines((line) => void told.push(line.toString()));

      for (const chunk of chunks) lines.push(Buffer.from(chunk));

      expect(told).to.deep.equal(expected);
    });
  }
});

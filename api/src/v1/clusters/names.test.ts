import { expect } from "chai";
import { Problem } from "../problem.ts";
import { parseClusters } from "./names.ts";

const read: readonly (readonly [text: string, names: ReturnType<typeof parseClusters>])[] = [
  ["", undefined],
  ["clusters=all", "all"],
  ["clusters=local,all", "all"],
  ["clusters=local,c-abcde,local", ["local", "c-abcde"]],
  ["clusters=c-m-abc.de&clusters=,x", ["c-m-abc.de", "x"]],
];

const refused = [
  "clusters",
  "clusters=,",
  "clusters=a%0d%0ab",
  'clusters="',
  "clusters=A",
  "clusters=../x",
  "clusters=-a",
  `clusters=${"a".repeat(254)}`,
  `clusters=${Array.from({ length: 201 }, (_, index) => `c-${index}`).join()}`,
];

describe("parseClusters", () => {
  for (const [text, names] of read) {
    it(`reads ?${text}`, () => {
      expect(parseClusters(new URLSearchParams(text))).to.deep.equal(names);
    });
  }

  for (const text of refused) {
    it(`refuses ?${text.slice(0, 40)}`, () => {
      expect(() => parseClusters(new URLSearchParams(text)))
        .to.throw(Problem)
        .that.includes({ status: 422, code: "InvalidFormat", fieldName: "clusters" });
    });
  }
});

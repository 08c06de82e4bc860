import { expect } from "chai";
import { type ClusterNames, parseClusters, parseRevisions, revisionText } from "./clusters.ts";
import { QueryError } from "./errors.ts";

const read: readonly (readonly [text: string, names: ClusterNames | undefined])[] = [
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
        .to.throw(QueryError)
        .that.includes({ parameter: "clusters" });
    });
  }
});

describe("revisions of several clusters", () => {
  const texts = ["", "local:12", "local:12,c-m-abc.de:34", "c-1:99999999999999999999"];
  for (const text of texts) {
    it(`are read and written: ${text}`, () => {
      expect(revisionText(parseRevisions(text) ?? [["c-none", "1"]])).to.equal(text);
    });
  }

  it("leave out who has none", () => {
    expect(revisionText([...new Map([["local", "1"]]), ["c-1", ""]])).to.equal("local:1");
  });

  for (const text of [
    "12",
    "local",
    "local:",
    ":1",
    "local:x",
    "local:-1",
    "A:1",
    "a:1,",
    "a:1:2",
  ]) {
    it(`are not ${text}`, () => expect(parseRevisions(text)).to.equal(undefined));
  }
});

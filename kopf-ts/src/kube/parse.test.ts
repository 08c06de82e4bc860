import { inspect } from "node:util";
import { expect } from "chai";
import { ConfigMap } from "./loopback.test.support.ts";
import { parseJson, toList } from "./parse.ts";

describe("toList", () => {
  it("gives items the apiVersion and kind that built-in lists leave out", () => {
    const list = toList(ConfigMap, {
      metadata: { resourceVersion: "7" },
      items: [
        { metadata: { name: "a" } },
        { apiVersion: "v2", kind: "X", metadata: { name: "b" } },
      ],
    });

    expect(list).to.deep.equal({
      resourceVersion: "7",
      items: [
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
        { apiVersion: "v2", kind: "X", metadata: { name: "b" } },
      ],
    });
  });

  it("says that more follows, and how much", () => {
    const metadata = { resourceVersion: "7", continue: "token", remainingItemCount: 0 };

    expect(toList(ConfigMap, { metadata, items: [] })).to.deep.equal({ ...metadata, items: [] });
  });

  it("takes an empty continue token as the end", () => {
    expect(toList(ConfigMap, { metadata: { continue: "" }, items: [] })).not.to.have.property(
      "continue",
    );
  });

  it("takes null as no items", () => {
    expect(toList(ConfigMap, { items: null }).items).to.deep.equal([]);
  });

  for (const answer of [{}, { items: {} }]) {
    it(`refuses ${JSON.stringify(answer)}`, () => {
      expect(() => toList(ConfigMap, answer)).to.throw("the list of configmaps has no items");
    });
  }
});

describe("toList of what no API server sends", () => {
  for (const item of [null, 7, "a"]) {
    it(`is a BadAnswer: an item that is ${JSON.stringify(item)}`, () => {
      expect(() => toList(ConfigMap, { items: [{ metadata: { name: "a" } }, item] }))
        .to.throw("the list of configmaps holds what is no object")
        .and.to.include({ code: 0, reason: "BadAnswer" });
    });
  }

  it("leaves metadata of other types out", () => {
    const metadata = { resourceVersion: 7, continue: {}, remainingItemCount: "x" };

    expect(toList(ConfigMap, { metadata, items: [] })).to.deep.equal({
      resourceVersion: "",
      items: [],
    });
  });
});

describe("parseJson", () => {
  it("gives what the text means", () => {
    expect(parseJson('{"a":[1,null]}')).to.deep.equal({ a: [1, null] });
  });

  for (const [name, text] of [
    ["a bare word", '{"password":hunter2}'],
    ["a word after the end", '"a" hunter2'],
    ["text that was cut off", '{"password":"hunter2'],
    ["a key without quotes", "{hunter2:1}"],
    ["text that looks like a place", '{"a":hunter2 at position 2222'],
    ["a control character", '{"password":"hunter2\n"}'],
  ] as const) {
    it(`never quotes ${name}`, () => {
      const parse = (): unknown => parseJson(text);

      expect(parse)
        .to.throw(SyntaxError, /^the text is no valid JSON/)
        .and.satisfy((error: Error) => !/hunter|2222/.test(inspect(error, { depth: 10 })));
    });
  }

  it("says where the text is broken, when the parser does", () => {
    expect(() => parseJson('{"a": 1, b}')).to.throw(/ at position 9 \(line 1 column 10\)$/);
  });
});

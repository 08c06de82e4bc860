import { expect } from "chai";
import { parseExact, parseSent, writeExact } from "./json.ts";

const long = '{"a":12345678901234567890,"b":[-0.1234567890123456789],"c":1}';

describe("parseSent", () => {
  for (const text of [
    long,
    '{"a":1.0,"b":-1e+2,"c":1E5,"d":[0.5,7]}',
    String.raw`{"a":"1.0","b\"1.5":"\\","\\\"1.5\\\\":1.50,"1.0":"12345678901234567890"}`,
    '\n{ "a" :\t1.0 }\n',
    "1.0",
  ]) {
    it(`keeps the numbers of ${JSON.stringify(text)}`, () => {
      expect(writeExact(parseSent(text))).to.equal(text.replaceAll(/[\s]/g, ""));
    });
  }

  for (const text of ['{1.5:"a"}', "[01.5]", "[1.5.5]", "[1.]", "[.5]", "[-]", '["1.5]', "[1.5"]) {
    it(`takes ${text} for no JSON`, () => {
      expect(() => parseSent(text)).to.throw(SyntaxError);
    });
  }

  for (const text of [
    '{"a":1,"a":2}',
    '{"a":1.50,"b":[{"a":"{","a":[],"c":"a","a":{}}],"a":2}',
    String.raw`{"data":1,"d\u0061ta":2,"a\\":"\"","a\\":"\\"}`,
    '{"2":"a","1":"b","2":"c","x":["1","1",{"1":1}]}',
    '{"__proto__":1,"__proto__":2}',
    '{"":1,"":2}',
  ]) {
    it(`keeps every key of ${text}, the last as the last`, () => {
      const written = writeExact(parseSent(text));

      expect(JSON.parse(written)).to.deep.equal(JSON.parse(text));
      const count = (json: string): number => json.split(":").length;
      expect(count(written)).to.equal(count(text));
    });
  }

  it("knows the last of keys that are there twice", () => {
    expect(parseSent('{"metadata":1,"metadata":{"name":"a"}}')).to.deep.include({
      metadata: { name: "a" },
    });
  });

  it("passes what is no number by", () => {
    const text = JSON.stringify({ a: "x".repeat(16), b: "1".repeat(16), c: [true, null] });

    expect(parseSent(text)).to.deep.equal(JSON.parse(text));
  });
});

describe("parseExact", () => {
  it("keeps long numbers", () => {
    expect(writeExact(parseExact(long))).to.equal(long);
  });

  it("reads objects without any as JSON.parse does", () => {
    const text = '{"a":1.5,"b":"12"}';

    expect(parseExact(text)).to.deep.equal(JSON.parse(text));
  });
});

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

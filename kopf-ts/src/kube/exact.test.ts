import { expect } from "chai";
import { hasLongInteger, parseJsonExactly } from "./exact.ts";

describe("parseJsonExactly", () => {
  const read = (text: string): unknown => {
    const bytes = Buffer.from(`##${text}##`);
    return parseJsonExactly(bytes, 2, bytes.length - 2);
  };

  for (const [text, value] of [
    ['{"a":9007199254740993,"b":1}', { a: 9007199254740993n, b: 1 }],
    ["[-9223372036854775808, 9223372036854775807]", [-9223372036854775808n, 9223372036854775807n]],
    ["[9007199254740991,9007199254740992]", [9007199254740991, 9007199254740992n]],
    ["[9223372036854775808,-9223372036854775809,1e5]", [2 ** 63, -(2 ** 63), 1e5]],
    ["[100000000000000000000,1234567890123456,-1]", [1e20, 1234567890123456, -1]],
    [
      "[9007199254740993,1234567890123456.5,0.1234567890123456,1e300]",
      [9007199254740993n, 1234567890123456.5, 0.1234567890123456, 1e300],
    ],
    ['["9007199254740993","a:9007199254740993"]', ["9007199254740993", "a:9007199254740993"]],
    ['{"é":[{"n":9007199254740993}]}', { é: [{ n: 9007199254740993n }] }],
    ["9007199254740993", 9007199254740993n],
    ["7", 7],
  ] as const) {
    it(`reads ${text}`, () => {
      expect(read(text)).to.deep.equal(value);
    });
  }

  it("reads what is nested as deeply as parseJson does", () => {
    let found = read(`${"[".repeat(100_000)}9007199254740993${"]".repeat(100_000)}`);
    while (Array.isArray(found)) [found] = found;

    expect(found).to.equal(9007199254740993n);
  });

  it("takes no text for an integer, and no key", () => {
    const text = String.raw`{"9007199254740993":9007199254740993,"a\"":"[9007199254740993]","__proto__":[9007199254740993]}`;

    expect(read(text)).to.deep.equal(
      JSON.parse(text, (_, value) => (typeof value === "number" ? 9007199254740993n : value)),
    );
  });

  it("is through soon with as many values as an object may have", () => {
    const text = `[9007199254740993,${"1,".repeat(700_000)}1]`;
    const begin = performance.now();

    expect(read(text)).to.have.length(700_002);

    expect(performance.now() - begin).to.be.lessThan(250);
  });

  it("quotes nothing of what is no JSON", () => {
    expect(() => read('{"password":9007199254740993,hunter2}'))
      .to.throw(SyntaxError)
      .with.property("message")
      .that.does.not.contain("hunter");
  });
});

describe("hasLongInteger", () => {
  const has = (text: string): boolean => {
    const bytes = Buffer.from(`1234567890${text}1234567890`);
    return hasLongInteger(bytes, 10, bytes.length - 10);
  };

  it("finds one wherever it is", () => {
    for (let before = 0; before < 40; before++) {
      const text = `{"${"a".repeat(before)}":-1234567890123456}`;
      expect(has(text), text).to.equal(true);
    }
  });

  for (const text of [
    '{"a":123456789012345}',
    '{"a":"1234567890123456789"}',
    '{"a":0.12345678901234567}',
    `{"a":"sha256:ab${"1".repeat(62)}"}`,
  ]) {
    it(`finds none in ${text}`, () => {
      expect(has(text)).to.equal(false);
    });
  }

  it("looks at each byte of many digits once", () => {
    const begin = performance.now();

    expect(has(`"${"1".repeat(1_000_000)}"`)).to.equal(false);

    expect(performance.now() - begin).to.be.lessThan(200);
  });
});

import { expect } from "chai";
import { seededRandom } from "kopf-ts/testing";
import { Confidential } from "./confidential.ts";
import {
  formatTokenValue,
  generateKey,
  generateName,
  parseTokenValue,
  type TokenValue,
} from "./value.ts";

const key = "d".repeat(54);

/** With the key to be seen, for comparisons. */
const revealed = (value: TokenValue | undefined) => value && { ...value, key: value.key.reveal() };

describe("parseTokenValue", () => {
  for (const { text, expected } of [
    { text: `token-abcde:${key}`, expected: { store: "v3", name: "token-abcde", key } },
    { text: `ext/token-abcde:${key}`, expected: { store: "ext", name: "token-abcde", key } },
    {
      text: `kubeconfig-u-abc.c-m-xyz:${key}`,
      expected: { store: "v3", name: "kubeconfig-u-abc.c-m-xyz", key },
    },
    { text: "a:!~", expected: { store: "v3", name: "a", key: "!~" } },
  ]) {
    it(`reads ${text.slice(0, 30)}`, () =>
      expect(revealed(parseTokenValue(text))).to.deep.equal(expected));
  }

  for (const { name, text } of [
    { name: "nothing", text: "" },
    { name: "a colon alone", text: ":" },
    { name: "no colon", text: "token-abcde" },
    { name: "no key", text: "token-abcde:" },
    { name: "no name", text: `:${key}` },
    { name: "no name after ext/", text: `ext/:${key}` },
    { name: "ext/ twice", text: `ext/ext/token-a:${key}` },
    { name: "another prefix", text: `v3/token-a:${key}` },
    { name: "ext/ in capitals", text: `EXT/token-a:${key}` },
    { name: "two colons", text: `token-a:${key}:x` },
    { name: "a hash for a key", text: "token-a:$3:1:uFrxm43ggfw:zsN1zEFC7SvABTdR" },
    { name: "a capital in the name", text: `Token-a:${key}` },
    { name: "a way out of the path", text: `../secrets/x:${key}` },
    { name: "a dot at the end of the name", text: `token-a.:${key}` },
    { name: "a dash at the end of a label", text: `a-.b:${key}` },
    { name: "a name of 254 characters", text: `${"a".repeat(254)}:${key}` },
    { name: "a space before it", text: ` token-a:${key}` },
    { name: "a line after it", text: `token-a:${key}\n` },
    { name: "a control character in the key", text: "token-a:ab\0cd" },
    { name: "a letter beyond ASCII in the key", text: "token-a:abcdé" },
    { name: "a key of 257 characters", text: `token-a:${"d".repeat(257)}` },
    { name: "a text of a megabyte", text: `a:${"d".repeat(1 << 20)}` },
    { name: "a name that invites backtracking", text: `${"a-".repeat(120)}:${key}` },
  ]) {
    it(`refuses ${name}`, () => expect(parseTokenValue(text)).to.equal(undefined));
  }

  it("reads back what formatTokenValue writes, and writes back what it reads", () => {
    const random = seededRandom(79);
    const pieces = ["token-a", "ext", "/", ":", "a", "-", ".", "Z", "$", key, "é", " "] as const;
    let read = 0;
    for (let round = 0; round < 3_000; round += 1) {
      const text = Array.from({ length: 1 + random.below(5) }, () => random.pick(pieces)).join("");

      const value = parseTokenValue(text);

      if (value === undefined) continue;
      read += 1;
      expect(formatTokenValue(value), `seed ${random.seed}, round ${round}`).to.equal(text);
    }
    expect(read).to.be.greaterThan(20);
  });

  it("reads the longest name and key in both stores", () => {
    for (const store of ["v3", "ext"] as const) {
      const value = { store, name: "a".repeat(253), key: new Confidential("~".repeat(256)) };

      expect(revealed(parseTokenValue(formatTokenValue(value)))).to.deep.equal(revealed(value));
    }
  });
});

describe("generateKey", () => {
  it("has 54 characters of Rancher's alphabet", () => {
    for (let round = 0; round < 100; round += 1) {
      expect(generateKey().reveal()).to.match(/^[bcdfghjklmnpqrstvwxz2456789]{54}$/);
    }
  });

  it("never repeats itself and uses each character about as often", () => {
    const keys = Array.from({ length: 500 }, () => generateKey().reveal());

    const counts = new Map<string, number>();
    for (const each of keys.join("")) counts.set(each, (counts.get(each) ?? 0) + 1);
    expect(new Set(keys).size).to.equal(keys.length);
    expect(counts.size).to.equal(27);
    expect(Math.min(...counts.values())).to.be.greaterThan(750); // of 1,000 expected: eight deviations
    expect(Math.max(...counts.values())).to.be.lessThan(1_250);
  });

  it("can be the key of a value", () => {
    const value: TokenValue = { store: "ext", name: "token-abcde", key: generateKey() };

    expect(revealed(parseTokenValue(formatTokenValue(value)))).to.deep.equal(revealed(value));
  });
});

describe("generateName", () => {
  it("is the prefix and five characters that the API server would choose", () => {
    expect(generateName("token-")).to.match(/^token-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(generateName("token-")).to.not.equal(generateName("token-"));
  });
});

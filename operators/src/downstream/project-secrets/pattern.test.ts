import { expect } from "chai";
import { finderOf } from "./pattern.ts";

describe("finderOf", () => {
  for (const { pattern, finds = [], misses = [] } of [
    { pattern: "kube-.*", finds: ["kube-system", "my-kube-x"], misses: ["kube"] },
    { pattern: "^kube-.*", finds: ["kube-system"], misses: ["my-kube-x"] },
    { pattern: "cattle-*", finds: ["cattle", "cattle--x"], misses: ["cat"] },
    { pattern: ".*-dev$", finds: ["shop-dev"], misses: ["shop-dev-2"] },
    { pattern: "^(a|bc)*$", finds: ["", "abca"], misses: ["ac"] },
    { pattern: "^[a-c]+[^0-9]*x?$", finds: ["abcdx"], misses: ["abc1", "d"] },
    { pattern: "^a{2}b{1,2}c{2,}.*$", finds: ["aabbcc"], misses: ["abbcc", "aabbbcc", "aabc"] },
    { pattern: "^(?:x\\.y)*\\d*$", finds: ["x.yx.y12"], misses: ["xay"] },
    { pattern: "^[]a-]*$", finds: ["]a-"], misses: ["b"] },
    { pattern: "a*?b", finds: ["aab"], misses: ["aa"] },
    { pattern: "", finds: ["anything"] },
    { pattern: "(|a)*b", finds: ["aab"], misses: ["a"] },
  ]) {
    it(`finds ${pattern || "nothing in everything"}`, () => {
      const find = finderOf(pattern);

      for (const text of finds) expect(find?.(text), text).to.equal(true);
      for (const text of misses) expect(find?.(text), text).to.equal(false);
    });
  }

  for (const pattern of [
    "*",
    "a**",
    "(a*",
    "a*)",
    "[a*",
    "[z-a]*",
    "(?i)a*",
    "a*\\",
    "\\pL*",
    "[[:alpha:]]*",
    "a{65}*",
    "a{3,1}*",
    "(?=a)*",
    `${"a".repeat(256)}*`,
  ]) {
    it(`knows no ${pattern.slice(0, 20)}`, () => expect(finderOf(pattern)).to.equal(undefined));
  }

  for (const pattern of [
    "(a+)+$",
    "(a*)*b",
    "((a*)*)*b",
    "(a|a)*b",
    "(a|aa)+$",
    "(.*)(.*)(.*)(.*)(.*)(.*)(.*)x",
    "((((((a?){64}){64})*){64})*){64}b",
  ]) {
    it(`is done at once with ${pattern}`, () => {
      expect(finderOf(pattern)?.(`${"a".repeat(62)}!`)).to.equal(false);
    });
  }

  it("agrees with the machine's own on what both know", () => {
    const patterns = ["a*b|c", "^x?[ab]{1,3}$", "(ab|ba)*a", "[^a]b*", "a.c*", "^(a(b)?)+$"];
    const texts = ["", "a", "b", "ab", "ba", "abc", "xab", "aab", "cc", "abab", "bca", "xaabb"];

    for (const pattern of patterns) {
      for (const text of texts) {
        expect(finderOf(pattern)?.(text), `${pattern} in ${text}`).to.equal(
          new RegExp(pattern).test(text),
        );
      }
    }
  });
});

import { expect } from "chai";
import { type Random, seededRandom } from "../../testing/index.ts";
import { Substrings } from "./substrings.ts";

describe("Substrings", () => {
  for (const seed of [1, 2, 3, Date.now() % 1_000_000]) {
    it(`finds what looking at each text finds, while texts change (seed ${seed})`, () => {
      const random = seededRandom(seed);
      const parts = ["web", "WEB", "db", "é", "É", "😀", "x", "\n", "-", "ab", "ba", "İ"] as const;
      const word = (most: number): string =>
        Array.from({ length: random.below(most) }, () => random.pick(parts)).join("");
      const texts: (string | undefined)[] = Array.from({ length: 600 }, () => word(6));
      const substrings = new Substrings((row) => texts[row]);

      for (let round = 0; round < 60; round++) {
        for (const row of someRows(random, texts.length + 1)) {
          texts[row] = random.chance(0.2) ? undefined : word(6);
          substrings.touch(row);
        }
        const part = word(4);
        const out = new Uint8Array(texts.length).fill(7);
        substrings.select(part, out, texts.length);
        const lower = part.toLowerCase();
        const expected = texts.map((text) => (text?.toLowerCase().includes(lower) ? 1 : 0));
        expect([...out]).to.deep.equal(expected);
      }
    });
  }

  it("joins many texts a part at a time, and misses none meanwhile", () => {
    const texts = Array.from({ length: 60_000 }, (_, row) => `text-${row}`);
    const substrings = new Substrings((row) => texts[row]);
    const sizes: number[] = [];

    for (let round = 0; round < 4; round++) {
      const out = new Uint8Array(texts.length);
      substrings.select("T-5999", out, texts.length);
      const found = [...out.keys()].filter((row) => out[row] === 1);
      expect(found).to.deep.equal([5999, ...Array.from({ length: 10 }, (_, n) => 59_990 + n)]);
      texts[30_000 + round] = "other";
      substrings.touch(30_000 + round);
      sizes.push(substrings.bytes);
    }

    expect(sizes[0]).to.be.below((sizes[2] ?? 0) * 0.6);
  });

  it("takes no more room however often texts change", () => {
    const texts = Array.from({ length: 1000 }, (_, row) => `text-${row}`);
    const substrings = new Substrings((row) => texts[row]);
    const out = new Uint8Array(texts.length);
    substrings.select("text", out, texts.length);
    const before = substrings.bytes;

    for (let round = 0; round < 5000; round++) {
      texts[round % 1000] = `text-${round}`;
      substrings.touch(round % 1000);
      substrings.select("text", out, texts.length);
    }

    expect(substrings.bytes).to.be.below(3 * before);
  });

  it("holds nothing before the first search", () => {
    const substrings = new Substrings((row) => `text ${row}`);
    const before = substrings.bytes;

    substrings.select("text", new Uint8Array(1000), 1000);

    expect(before).to.equal(0);
    expect(substrings.bytes).to.be.within(8000, 60_000);
  });
});

/** A few, now and then many. */
function someRows(random: Random, end: number): readonly number[] {
  const count = random.below(random.chance(0.1) ? 300 : 20);
  return Array.from({ length: count }, () => random.below(end));
}

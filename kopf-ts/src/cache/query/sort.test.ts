import { expect } from "chai";
import { seededRandom } from "../../testing/index.ts";
import { type Compare, mergeSort, selectPage } from "./sort.ts";

const seeds = [1, 2, 3, Date.now() % 1_000_000];

/** Rows and values in which many are equal; equal ones are ordered by row. */
function shuffled(
  seed: number,
  size: number,
): { rows: Uint32Array; compare: Compare; values: number[] } {
  const random = seededRandom(seed);
  const values = Array.from({ length: size }, () => random.below(size / 4));
  const rows = Uint32Array.from(values.keys());
  for (let n = size - 1; n > 0; n--) {
    const other = random.below(n + 1);
    [rows[n], rows[other]] = [rows[other] ?? 0, rows[n] ?? 0];
  }
  const compare = (a: number, b: number): number => (values[a] ?? 0) - (values[b] ?? 0) || a - b;
  return { rows, compare, values };
}

describe("mergeSort", () => {
  for (const seed of seeds) {
    it(`sorts in small steps (seed ${seed})`, () => {
      const { rows, compare } = shuffled(seed, 20_000);
      const expected = Array.from(rows).sort(compare);

      const steps = mergeSort(rows, compare, () => false);
      let count = 1;
      let step = steps.next();
      for (; step.done !== true; count++) step = steps.next();

      expect(Array.from(step.value)).to.deep.equal(expected);
      expect(count).to.be.greaterThan(80);
    });

    it(`leaves out rows that change under way, and sorts the rest (seed ${seed})`, () => {
      const { rows, compare, values } = shuffled(seed, 20_000);
      const random = seededRandom(seed);
      const dropped = new Set<number>();

      const steps = mergeSort(rows, compare, (row) => dropped.has(row));
      let step = steps.next();
      while (step.done !== true) {
        const row = random.below(values.length);
        values[row] = random.below(values.length);
        dropped.add(row);
        step = steps.next();
      }

      const sorted = Array.from(step.value);
      const expected = [...values.keys()].filter((row) => !dropped.has(row)).sort(compare);
      expect(sorted).to.deep.equal(expected);
      expect(dropped.size).to.be.greaterThan(50);
    });
  }

  for (const size of [0, 1, 2, 511, 512, 513, 1024, 1025]) {
    it(`sorts ${size} rows`, () => {
      const { rows, compare } = shuffled(size, size);
      const expected = Array.from(rows).sort(compare);

      const steps = mergeSort(rows, compare, () => false);
      let step = steps.next();
      while (step.done !== true) step = steps.next();

      expect(Array.from(step.value)).to.deep.equal(expected);
    });
  }
});

describe("selectPage", () => {
  for (const seed of seeds) {
    it(`returns what sorting and slicing returns (seed ${seed})`, () => {
      const random = seededRandom(seed);
      for (let round = 0; round < 200; round++) {
        const { rows, compare } = shuffled(seed + round, random.below(200));
        const sorted = Array.from(rows).sort(compare);
        const offset = random.below(rows.length + 10);
        const limit = random.chance(0.2) ? Number.POSITIVE_INFINITY : random.below(50);
        expect(Array.from(selectPage(rows, compare, offset, limit))).to.deep.equal(
          sorted.slice(offset, offset + limit),
        );
      }
    });
  }

  it("needs few comparisons, whatever the offset and whatever the order was", () => {
    const { rows, values } = shuffled(1, 50_000);
    let count = 0;
    const counting: Compare = (a, b) => {
      count++;
      return (values[a] ?? 0) - (values[b] ?? 0) || a - b;
    };

    for (const offset of [0, 25_000, 49_900]) selectPage(rows, counting, offset, 100);

    expect(count / rows.length / 3).to.be.below(12); // sorting takes about 15
  });
});

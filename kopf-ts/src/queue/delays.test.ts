import { expect } from "chai";
import { type Random, seededRandom } from "../testing/index.ts";
import { Delays } from "./delays.ts";
import type { Entry } from "./entry.ts";

const entry = (key: string, due: number): Entry<string> => ({
  key,
  due,
  priority: 0,
  slot: 0,
  lane: undefined,
  started: 0,
  running: 0,
});

/** Empties the heap from its head. */
function drained(delays: Delays<string>): readonly number[] {
  const dues: number[] = [];
  for (let first = delays.peek(); first !== undefined; first = delays.peek()) {
    dues.push(first.due);
    delays.remove(first);
  }
  return dues;
}

describe("Delays", () => {
  it("has no first entry when it is empty", () => {
    expect(new Delays<string>().peek()).to.equal(undefined);
  });

  it("gives up its entries by due time", () => {
    const delays = new Delays<string>();
    for (const due of [5, 3, 9, 1, 7, 3]) delays.push(entry(`at-${due}`, due));

    expect(drained(delays)).to.deep.equal([1, 3, 3, 5, 7, 9]);
  });

  for (let seed = 1; seed <= 20; seed += 1) {
    it(`keeps its order while entries leave and become earlier (seed ${seed})`, () => {
      const random = seededRandom(seed);
      const delays = new Delays<string>();
      const kept = new Set<Entry<string>>();

      for (let step = 0; step < 500; step += 1) change(delays, kept, random);

      expect(delays.size).to.equal(kept.size);
      expect(drained(delays)).to.deep.equal([...kept].map(({ due }) => due).sort((a, b) => a - b));
    });
  }
});

/** One random change of a heap and of the set it must agree with. */
function change(delays: Delays<string>, kept: Set<Entry<string>>, random: Random): void {
  const some = [...kept][random.below(kept.size * 2)];
  if (some === undefined) {
    const added = entry("key", random.below(1000));
    kept.add(added);
    delays.push(added);
  } else if (random.chance(0.5)) {
    some.due -= random.below(500);
    delays.hasten(some);
  } else {
    kept.delete(some);
    delays.remove(some);
  }
}

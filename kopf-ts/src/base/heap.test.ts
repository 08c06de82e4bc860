import { expect } from "chai";
import { type Random, seededRandom } from "../testing/index.ts";
import { Heap, type HeapItem } from "./heap.ts";

const item = (due: number): HeapItem => ({ due, slot: -1 });

/** Empties the heap from its head. */
function drained(heap: Heap<HeapItem>): readonly number[] {
  const dues: number[] = [];
  for (let first = heap.peek(); first !== undefined; first = heap.peek()) {
    dues.push(first.due);
    heap.remove(first);
  }
  return dues;
}

describe("Heap", () => {
  it("has no first item when it is empty", () => {
    expect(new Heap().peek()).to.equal(undefined);
  });

  it("gives up its items by due time", () => {
    const heap = new Heap();
    for (const due of [5, 3, 9, 1, 7, 3]) heap.push(item(due));

    expect(drained(heap)).to.deep.equal([1, 3, 3, 5, 7, 9]);
  });

  it("tells an item that it has left", () => {
    const heap = new Heap();
    const items = [item(1), item(2), item(3)];
    const [, second] = items;
    for (const each of items) heap.push(each);

    if (second !== undefined) heap.remove(second);
    expect(items.map(({ slot }) => slot >= 0)).to.deep.equal([true, false, true]);
    heap.clear();

    expect(items.map(({ slot }) => slot)).to.deep.equal([-1, -1, -1]);
    expect(heap.size).to.equal(0);
  });

  for (let seed = 1; seed <= 20; seed += 1) {
    it(`keeps its order while items leave and come back earlier (seed ${seed})`, () => {
      const random = seededRandom(seed);
      const heap = new Heap();
      const kept = new Set<HeapItem>();

      for (let step = 0; step < 500; step += 1) change(heap, kept, random);

      expect(heap.size).to.equal(kept.size);
      expect(drained(heap)).to.deep.equal([...kept].map(({ due }) => due).sort((a, b) => a - b));
    });
  }
});

/** One random change of a heap and of the set it must agree with. */
function change(heap: Heap<HeapItem>, kept: Set<HeapItem>, random: Random): void {
  const some = [...kept][random.below(kept.size * 2)];
  if (some !== undefined) {
    heap.remove(some);
    kept.delete(some);
  }
  if (some !== undefined && random.chance(0.5)) return;
  const added = item(some === undefined ? random.below(1000) : some.due - random.below(500));
  kept.add(added);
  heap.push(added);
}

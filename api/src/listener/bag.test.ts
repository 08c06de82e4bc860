import { expect } from "chai";
import { seededRandom } from "kopf-ts/testing";
import { Bag } from "./bag.ts";

describe("Bag", () => {
  it("holds what came and has not gone, whatever comes and goes in which order", () => {
    const random = seededRandom(5);
    const bag = new Bag<number>();
    const held = new Map<number, () => void>();
    for (let turn = 0; turn < 2000; turn++) {
      if (random.chance(0.5)) held.set(turn, bag.add(turn));
      const [gone] = [...held.keys()].slice(random.below(held.size + 1));
      if (gone === undefined || random.chance(0.3)) continue;
      const remove = held.get(gone);
      held.delete(gone);
      remove?.();
      remove?.(); // once is enough

      expect(bag.all().toSorted((a, b) => a - b)).to.deep.equal([...held.keys()]);
      expect(bag.size).to.equal(held.size);
    }
  });
});

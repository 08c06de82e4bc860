import { expect } from "chai";
import { turnsIn } from "./turns.ts";

/** In so many rounds everybody meets everybody. */
const roundsOf = (count: number): number => (count % 2 === 0 ? count : 2 * count);

describe("turnsIn", () => {
  for (const count of [1, 2, 3, 4, 5, 6]) {
    const subjects = Array.from({ length: count }, (_, index) => `s${index}`);
    const orders = Array.from({ length: roundsOf(count) }, (_, round) => turnsIn(round, subjects));

    it(`lets each of ${count} begin equally often, and nobody twice in a round`, () => {
      const firsts = subjects.map((each) => orders.filter(([first]) => first === each).length);

      expect(new Set(firsts)).to.deep.equal(new Set([roundsOf(count) / count]));
      for (const order of orders) expect([...order].sort()).to.deep.equal(subjects);
    });

    it(`has each of ${count} come after each other one equally often`, () => {
      const pairs = orders.flatMap((order) =>
        order.slice(1).map((name, index) => `${order[index]} ${name}`),
      );
      const counts = new Map<string, number>();
      for (const pair of pairs) counts.set(pair, (counts.get(pair) ?? 0) + 1);

      expect(counts.size).to.equal(count * (count - 1));
      expect(new Set(counts.values()).size).to.be.at.most(1);
    });
  }

  it("has no turns where there is nobody", () => {
    expect(turnsIn(3, [])).to.deep.equal([]);
  });
});

import { expect } from "chai";
import { type Random, seededRandom } from "../../testing/index.ts";
import { Rows } from "../rows.ts";
import { OrderIndex } from "./order.ts";

/** Rows with one number each, and an index over them. */
class World {
  readonly rows = new Rows();
  readonly values: number[] = [];
  readonly random: Random;
  readonly index = new OrderIndex(
    this.rows,
    (a, b) => (this.values[a] ?? 0) - (this.values[b] ?? 0) || a - b,
  );
  #keys = 0;

  constructor(seed: number, size: number) {
    this.random = seededRandom(seed);
    for (let n = 0; n < size; n++) this.add();
  }

  add(): void {
    const row = this.rows.add(`key-${this.#keys++}`);
    this.values[row] = this.random.below(1000);
    this.index.touch(row);
  }

  /** Adds, removes and moves rows. */
  churn(count: number): void {
    for (let n = 0; n < count; n++) {
      const row = this.random.below(this.rows.end);
      const dice = this.random.next();
      if (dice < 0.3) this.add();
      else if (!this.rows.isAlive(row)) continue;
      else if (dice < 0.6) this.rows.remove(row);
      else this.values[row] = this.random.below(1000);
      this.index.touch(row);
    }
  }

  build(between: () => void = () => undefined): number {
    let steps = 0;
    for (const _ of this.index.build()) {
      steps++;
      between();
    }
    return steps;
  }

  get expected(): number[] {
    return [...this.rows.alive.subarray(0, this.rows.end).keys()]
      .filter((row) => this.rows.isAlive(row))
      .sort((a, b) => (this.values[a] ?? 0) - (this.values[b] ?? 0) || a - b);
  }
}

const pages = [
  ...[0, 500, 513, 900, 1023, 1300].map((offset) => [offset, 100] as const),
  ...([
    [0, 10],
    [1023, 2],
    [3900, 500],
    [9999, 10],
    [10, 0],
  ] as const),
];

describe("OrderIndex", () => {
  it("answers nothing before it is built", () => {
    const { index } = new World(1, 100);

    expect(index.refresh()).to.equal(false);
    expect(index.state).to.equal("empty");
  });

  for (const seed of [1, 2, 3, Date.now() % 1_000_000]) {
    it(`is always in order, while rows come, go and move (seed ${seed})`, () => {
      const world = new World(seed, 3000);
      world.build();

      for (let round = 0; round < 15; round++) {
        world.churn(world.random.below(300));
        expect(world.index.refresh()).to.equal(true);
        expect(world.index.page(0, Number.POSITIVE_INFINITY)).to.deep.equal(world.expected);
      }
    });

    it(`is in order when rows changed while it was built (seed ${seed})`, () => {
      const world = new World(seed, 3000);

      const steps = world.build(() => world.churn(10));

      expect(steps).to.be.greaterThan(10);
      expect(world.index.refresh()).to.equal(true);
      expect(world.index.page(0, Number.POSITIVE_INFINITY)).to.deep.equal(world.expected);
    });
  }

  it("returns pages, of all rows and of those selected, however both change", () => {
    const world = new World(7, 4000);
    world.build();
    const mask = new Uint8Array(20_000);
    const selection = { mask, total: 0, version: 0, changes: 0 };

    for (let round = 0; round < 12; round++) {
      if (round % 3 !== 0) world.churn(100);
      if (round % 2 === 0) selection.version++;
      if (round % 2 === 0) mask.set(mask.map((_, row) => ((row + round) % 3 === 0 ? 1 : 0)));
      world.index.refresh();
      const { expected } = world;
      const selected = expected.filter((row) => mask[row] === 1);
      for (const [offset, limit] of pages) {
        const end = offset + limit;
        expect(world.index.page(offset, limit)).to.deep.equal(expected.slice(offset, end));
        expect(world.index.page(offset, limit, selection)).to.deep.equal(
          selected.slice(offset, end),
        );
      }
    }
  });

  it("gives up rather than move a large part of all rows one by one", () => {
    const world = new World(3, 5000);
    world.build();

    world.churn(3000);

    expect(world.index.refresh()).to.equal(false);
    expect(world.index.state).to.equal("empty");
    world.build();
    expect(world.index.refresh()).to.equal(true);
    expect(world.index.page(0, Number.POSITIVE_INFINITY)).to.deep.equal(world.expected);
  });

  it("grows from nothing", () => {
    const world = new World(3, 0);
    world.build();

    for (let round = 0; round < 100; round++) {
      world.churn(40);
      world.index.refresh();
    }

    expect(world.index.page(0, Number.POSITIVE_INFINITY)).to.deep.equal(world.expected);
  });
});

import { expect } from "chai";
import { seededRandom } from "../testing/index.ts";
import { Rows } from "./rows.ts";

describe("Rows", () => {
  it("numbers keys densely and finds them", () => {
    const rows = new Rows();

    const numbers = ["a", "b", "c"].map((key) => rows.add(key));

    expect(numbers).to.deep.equal([0, 1, 2]);
    expect(rows.find("b")).to.equal(1);
    expect(rows.find("z")).to.equal(-1);
    expect(rows.keyOf(2)).to.equal("c");
    expect(rows.size).to.equal(3);
  });

  it("never gives a key two rows", () => {
    const rows = new Rows();
    rows.add("a");

    expect(() => rows.add("a")).to.throw("the key a has a row already");
    expect([...rows.keys()]).to.deep.equal(["a"]);
  });

  it("uses free rows again before new ones", () => {
    const rows = new Rows();
    for (const key of ["a", "b", "c"]) rows.add(key);

    rows.remove(1);
    const removed = { alive: rows.isAlive(1), found: rows.find("b"), size: rows.size };
    const again = rows.add("d");

    expect(removed).to.deep.equal({ alive: false, found: -1, size: 2 });
    expect(again).to.equal(1);
    expect(rows.end).to.equal(3);
    expect([...rows.keys()]).to.deep.equal(["a", "c", "d"]);
  });

  it("tells arrays when they must have room for more rows", () => {
    const rows = new Rows();
    const capacities: number[] = [];
    const resize = (capacity: number): void => {
      capacities.push(capacity);
    };
    rows.onResize(resize);

    for (let n = 0; n < 40; n++) rows.add(`key-${n}`);
    rows.offResize(resize);
    for (let n = 40; n < 100; n++) rows.add(`key-${n}`);

    expect(capacities).to.deep.equal([16, 32, 64]);
    expect([...rows.alive.subarray(0, 101)]).to.deep.equal([...Array(100).fill(1), 0]);
  });

  it("asks for at most a quarter more than there is once it is large", () => {
    const rows = new Rows();
    let room = 0;
    let resized = 0;
    rows.onResize((capacity) => {
      room = capacity;
      resized++;
    });

    const most: number[] = [];
    for (let n = 0; n < 20_000; n++) {
      rows.add(`key-${n}`);
      if (n > 1024) most.push(room / rows.size);
    }

    expect(Math.max(...most)).to.be.at.most(1.251);
    expect(Math.min(...most)).to.be.at.least(1);
    expect(resized).to.be.below(25);
  });

  it("finds rows by their keys, whatever it was told to expect", () => {
    const random = seededRandom(11);
    const rows = new Rows();
    const truth = new Map<string, number>();

    const toggle = (key: string): void => {
      const row = truth.get(key);
      if (row === undefined) truth.set(key, rows.add(key));
      else rows.remove(row);
      if (row !== undefined) truth.delete(key);
    };

    for (let step = 0; step < 3000; step++) {
      const dice = random.next();
      if (dice < 0.4) toggle(`key-${random.below(40)}`);
      else if (dice < 0.5) rows.expect(Array.from({ length: 5 }, () => random.below(50)));
      else if (dice < 0.6) rows.expect([...truth.values()]);
      const key = `key-${random.below(40)}`;
      expect(rows.find(key)).to.equal(truth.get(key) ?? -1);
      for (const [each, row] of truth) expect(rows.find(each)).to.equal(row);
    }
  });
});

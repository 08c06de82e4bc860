import { expect } from "chai";
import { seededRandom } from "kopf-ts/testing";
import { Room } from "./room.ts";

const noon = Date.parse("2026-11-21T12:00:00Z");
const minute = 60_000;
const rank = 1;

class Shelf {
  readonly usedAt: number;
  isEmpty = false;

  constructor(usedAt: number) {
    this.usedAt = usedAt;
  }

  /** What it keeps that ranks higher. */
  better = 0;

  clear(of: number): number {
    if (of > rank) this.better = 0;
    this.isEmpty = true;
    return this.better;
  }
}

/** Who wants to keep more. */
const holder = new Shelf(noon);

/** Ten shelves of 10 bytes, of which some were last used two minutes before noon. */
function filled(...old: readonly number[]): { room: Room; shelves: readonly Shelf[] } {
  const room = new Room();
  const shelves = Array.from(
    { length: 10 },
    (_, index) => new Shelf(old.includes(index) ? noon - 2 * minute : noon),
  );
  for (const shelf of shelves) room.set(shelf, 10);
  return { room, shelves };
}

const emptied = (shelves: readonly Shelf[]): readonly number[] =>
  shelves.flatMap(({ isEmpty }, index) => (isEmpty ? [index] : []));

/** Those that were emptied keep nothing, and may be filled again. */
function forgetEmptied(sizes: Map<Shelf, number>): void {
  for (const shelf of sizes.keys()) {
    if (shelf.isEmpty) sizes.delete(shelf);
    shelf.isEmpty = false;
  }
}

describe("Room", () => {
  it("is there until the limit", () => {
    const { room, shelves } = filled();

    expect(room.size).to.equal(100);
    expect(room.has(10, { limit: 110, now: noon, rank, holder })).to.equal(true);
    expect(room.has(11, { limit: 110, now: noon, rank, holder })).to.equal(false);
    expect(emptied(shelves)).to.deep.equal([]);
  });

  it("is made by what was not used for a while, and by nothing else", () => {
    const { room, shelves } = filled(1, 3);

    const found = Array.from({ length: 12 }, () =>
      room.has(20, { limit: 100, now: noon, rank, holder }),
    );

    expect(found).to.include(true);
    expect(emptied(shelves)).to.deep.equal([1, 3]);
    expect(room.size).to.equal(80);
    const more = Array.from({ length: 12 }, () =>
      room.has(30, { limit: 100, now: noon, rank, holder }),
    );
    expect(more).to.not.include(true);
    expect(emptied(shelves)).to.deep.equal([1, 3]);
  });

  it("is made by what ranks no higher, and the rest stays", () => {
    const { room, shelves } = filled(1, 3);
    for (const shelf of shelves) shelf.better = 4;

    const found = Array.from({ length: 12 }, () =>
      room.has(12, { limit: 100, now: noon, rank, holder }),
    );
    const more = Array.from({ length: 12 }, () =>
      room.has(20, { limit: 100, now: noon, rank, holder }),
    );

    expect([found.includes(true), more.includes(true)]).to.deep.equal([true, false]);
    expect(emptied(shelves)).to.deep.equal([1, 3]);
    expect(room.size).to.equal(88);
    room.trim(0);
    expect(room.size).to.equal(0);
  });

  it("is made by what ranks lower, whoever used it when, and the rest stays", () => {
    const { room, shelves } = filled();
    for (const shelf of shelves) shelf.better = 4;

    const found = room.has(12, { limit: 100, now: noon, rank: rank + 1, holder });

    expect(found).to.equal(true);
    expect(emptied(shelves)).to.deep.equal([0, 1]);
    expect(room.size).to.equal(88);
    for (let turn = 0; turn < 12; turn++)
      room.has(90, { limit: 100, now: noon, rank: rank + 1, holder });
    expect(emptied(shelves)).to.have.length(10);
    expect(room.size).to.equal(40);
  });

  it("is not made by what it is for", () => {
    const { room, shelves } = filled();
    const [own = holder] = shelves;

    expect(room.has(10, { limit: 100, now: noon, rank: rank + 1, holder: own })).to.equal(true);

    expect(emptied(shelves)).to.deep.equal([1]);
  });

  it("is found after a while, however far from the first the unused ones are", () => {
    const { room, shelves } = filled(9);
    const found = Array.from({ length: 3 }, () =>
      room.has(10, { limit: 100, now: noon, rank, holder }),
    );

    expect(found).to.deep.equal([false, false, true]);
    expect(emptied(shelves)).to.deep.equal([9]);
  });

  it("counts what holders keep now, and no more when they are gone", () => {
    const { room, shelves } = filled();
    const [first = new Shelf(noon), second = new Shelf(noon)] = shelves;
    room.set(first, 50);
    room.set(second, 0);
    const before = room.size;
    room.delete(first);
    room.delete(first);

    expect([before, room.size]).to.deep.equal([130, 80]);
  });

  it("is made for others, whoever used what is there", () => {
    const { room, shelves } = filled();

    room.trim(75);

    expect(emptied(shelves)).to.have.length(3);
    expect(room.size).to.equal(70);
    room.trim(0);
    expect(room.size).to.equal(0);
    expect(emptied(shelves)).to.have.length(10);
  });

  it("adds up, whatever comes and goes", () => {
    const random = seededRandom(5);
    const room = new Room();
    const [first = new Shelf(noon), ...others] = Array.from(
      { length: 20 },
      () => new Shelf(noon - random.below(3) * minute),
    );
    const sizes = new Map<Shelf, number>();
    for (let turn = 0; turn < 5000; turn++) {
      const [shelf, size] = [random.pick([first, ...others]), random.below(50)];
      if (size > 20) room.set(shelf, size);
      else room.delete(shelf);
      sizes.set(shelf, size > 20 ? size : 0);
      if (random.chance(0.2)) room.has(size, { limit: 300, now: noon, rank, holder });
      if (random.chance(0.05)) room.trim(200);
      forgetEmptied(sizes);

      expect(room.size).to.equal([...sizes.values()].reduce((sum, each) => sum + each, 0));
    }
  });
});

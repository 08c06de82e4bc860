import { expect } from "chai";
import { type Random, seededRandom } from "../testing/index.ts";
import type { Entry } from "./entry.ts";
import { Lane } from "./lane.ts";
import { Lanes } from "./lanes.ts";

function entry(key: string, priority = 0): Entry<string> {
  const times = { due: 0, at: 0, appointment: undefined, started: 0 };
  return { key, priority, ...times, slot: 0, lane: undefined, running: 0 };
}

/** One random change of a lane and of the list it must agree with. */
function change(lane: Lane<string>, model: Entry<string>[], random: Random): void {
  if (model.length === 0 || random.chance(0.5)) {
    const added = entry("key");
    model.push(added);
    lane.push(added);
    return;
  }
  const [gone] = model.splice(random.chance(0.5) ? 0 : random.below(model.length), 1);
  if (gone !== undefined) lane.remove(gone);
}

/** Takes everything. */
function taken(lanes: Lanes<string>): readonly string[] {
  const keys: string[] = [];
  for (let next = lanes.take(); next !== undefined; next = lanes.take()) keys.push(next.key);
  return keys;
}

describe("Lane", () => {
  it("is first in, first out beyond the size it starts with", () => {
    const lane = new Lane<string>(0);
    const entries = Array.from({ length: 1000 }, (_, at) => entry(`${at}`));
    for (const each of entries) lane.push(each);

    expect([...lane]).to.deep.equal(entries);
    expect(lane.peek()).to.equal(entries[0]);
  });

  for (let seed = 1; seed <= 20; seed += 1) {
    it(`agrees with a plain list while entries leave from anywhere (seed ${seed})`, () => {
      const random = seededRandom(seed);
      const lane = new Lane<string>(0);
      const model: Entry<string>[] = [];

      for (let step = 0; step < 2000; step += 1) {
        change(lane, model, random);
        expect(lane.peek()).to.equal(model[0]);
        expect(lane.size).to.equal(model.length);
      }

      expect([...lane]).to.deep.equal(model);
    });
  }
});

describe("Lanes", () => {
  it("puts a higher priority first and keeps the order of arrival within one", () => {
    const lanes = new Lanes<string>(1000);
    const arrivals = [entry("low-1", -100), entry("high-1"), entry("low-2", -100), entry("high-2")];
    for (const each of arrivals) lanes.push(each, 0);

    expect(taken(lanes)).to.deep.equal(["high-1", "high-2", "low-1", "low-2"]);
  });

  for (const { name, age, expected } of [
    { name: "stays behind before", age: 99_999, expected: ["young", "old"] },
    { name: "goes first after", age: 100_001, expected: ["old", "young"] },
  ]) {
    it(`an entry 100 steps lower ${name} it has waited for 100 times the ageing`, () => {
      const lanes = new Lanes<string>(1000);
      lanes.push(entry("old", -100), 0);
      lanes.push(entry("young"), age);

      expect(taken(lanes)).to.deep.equal(expected);
    });
  }

  it("counts arrival alone when ageing is 0", () => {
    const lanes = new Lanes<string>(0);
    lanes.push(entry("a", -100), 1);
    lanes.push(entry("b", 0), 2);
    lanes.push(entry("c", 100), 3);

    expect(taken(lanes)).to.deep.equal(["a", "b", "c"]);
  });

  it("moves a raised entry ahead of lower ones", () => {
    const lanes = new Lanes<string>(1000);
    const raised = entry("raised", -100);
    lanes.push(entry("first", -100), 0);
    lanes.push(raised, 0);

    lanes.raise(raised, 0, 10);

    expect(taken(lanes)).to.deep.equal(["raised", "first"]);
  });

  it("does not set an entry back by raising it", () => {
    const lanes = new Lanes<string>(1000);
    const old = entry("old", -100);
    lanes.push(old, 0);
    lanes.push(entry("young"), 100_001);

    lanes.raise(old, 0, 100_002);

    expect(taken(lanes)).to.deep.equal(["old", "young"]);
  });

  it("forgets lanes that somebody invented for a moment", () => {
    const lanes = new Lanes<string>(1000);
    for (let priority = 0; priority < 1000; priority += 1) lanes.push(entry("k", priority), 0);

    taken(lanes);

    expect([...lanes.depths()].length).to.be.at.most(8);
    expect(lanes.size).to.equal(0);
  });

  it("forgets the lanes that a raised entry has left", () => {
    const lanes = new Lanes<string>(1000);
    const raised = entry("raised");
    lanes.push(raised, 0);

    for (let priority = 1; priority <= 5000; priority += 1) lanes.raise(raised, priority, 0);

    expect([...lanes.depths()].length).to.be.at.most(9); // eight empty ones and its own
    expect(taken(lanes)).to.deep.equal(["raised"]);
  });
});

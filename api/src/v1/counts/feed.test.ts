import { expect } from "chai";
import { silentLogger, systemClock } from "kopf-ts";
import { eventually, fakeClock } from "kopf-ts/testing";
import { everything } from "../access/held-access.ts";
import type { KeptType } from "../inventory/kept.ts";
import { KnownTypes } from "../types/known-types.ts";
import type { ResourceType } from "../types/resource-type.ts";
import { type Counts, CountsFeed } from "./feed.ts";
import { keptType } from "./kept.test.support.ts";
import { aType } from "./types.test.support.ts";

const nobody = { of: () => undefined, onChange: () => ({ [Symbol.dispose]: () => undefined }) };

/** So many objects of a type. */
const kept = (type: ResourceType, count: number, state: "read" | "unread"): Promise<KeptType> => {
  const metadata = (index: number) => ({
    name: `n${index}`,
    uid: `u${index}`,
    resourceVersion: "1",
  });
  const objects = Array.from({ length: count }, (_, index) => ({ metadata: metadata(index) }));
  return keptType(type, objects, state);
};

describe("CountsFeed", () => {
  it("tells nothing of a type while it is read anew, and that it went once it is gone", async () => {
    const type = aType("things", "Thing", "Cluster");
    const types = new KnownTypes(silentLogger);
    types.replace([type]);
    let [objects, note] = [
      await kept(type, 7, "read"),
      (_: ReadonlySet<string>): void => undefined,
    ];
    const inventory = {
      of: () => objects,
      onChange: (listener: typeof note) => {
        note = listener;
        return { [Symbol.dispose]: () => undefined };
      },
    };
    const clock = fakeClock();
    const feed = new CountsFeed({
      ...{ types, inventory, clock, log: silentLogger },
      isListed: () => true,
    });
    const told: Counts[] = [];
    using _watch = feed.subscribe(everything, (counts) => told.push(counts));
    const becomes = async (now: typeof objects): Promise<void> => {
      objects = now;
      note(new Set([type.id]));
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      await clock.advance(5_001);
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    };

    await becomes(await kept(type, 7, "read"));
    await becomes(await kept(type, 0, "unread"));
    await becomes(await kept(type, 7, "read"));
    expect(told).to.deep.equal([]);
    await becomes(await kept(type, 3, "unread"));
    await becomes(await kept(type, 8, "read"));
    types.replace([]);
    await becomes(await kept(type, 0, "unread"));

    expect(told).to.deep.equal([
      { [type.id]: { summary: { count: 8 } } },
      { [type.id]: { summary: {} } },
    ]);
  });

  it("looks at nothing more for somebody who has gone", async () => {
    const types = new KnownTypes(silentLogger);
    types.replace(
      Array.from({ length: 100 }, (_, index) => aType(`t${index}`, `T${index}`, "Cluster")),
    );
    let looks = 0;
    const isSlow = (): boolean => {
      const until = performance.now() + 5;
      while (performance.now() < until);
      return ++looks > 0;
    };
    const parts = { types, inventory: nobody, clock: systemClock, log: silentLogger };
    const feed = new CountsFeed({ ...parts, isListed: isSlow });

    const watch = feed.subscribe(everything, () => undefined);
    await eventually(() => looks > 0, { within: 10_000 });
    watch[Symbol.dispose]();
    const before = looks;
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);

    expect(before).to.be.lessThan(100);
    expect(looks).to.equal(before);
  }).timeout(20_000);
});

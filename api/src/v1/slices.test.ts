import { expect } from "chai";
import { systemClock } from "kopf-ts";
import { Slices, sortedIn, turnFor } from "./slices.ts";

describe("Slices", () => {
  /** Time that passes by 5 ms with each look, so that every slice is over at once. */
  const fast = (): typeof systemClock => {
    let now = 0;
    return { ...systemClock, now: systemClock.now, monotonic: () => (now += 5) };
  };

  it("of many works at once leave others a turn after each", async () => {
    let done = 0;
    const { signal } = new AbortController();
    const works = Array.from({ length: 20 }, async () => {
      const slices = new Slices(fast(), signal);
      for (let count = 0; count < 10; count++) {
        await slices.rest();
        done++;
      }
    });

    let longest = 0;
    let before = done;
    while (done < 200) {
      await new Promise((resolve) => setImmediate(resolve));
      longest = Math.max(longest, done - before);
      before = done;
    }
    await Promise.all(works);
    expect(longest).to.equal(1);
  });

  it("are one for each that is long, however many come at once", async () => {
    const works = 20;
    let done = 0;
    let longest = 0;
    for (let count = 0; count < works; count++) void turnFor({ length: 1e6 })?.then(() => done++);

    for (let turns = 0; done < works && turns < 100; turns++) {
      const before = done;
      await new Promise((resolve) => setImmediate(resolve));
      longest = Math.max(longest, done - before);
    }

    expect([done, longest]).to.deep.equal([works, 1]);
    expect(turnFor({ length: 1_000 })).to.equal(undefined);
  });

  it("begin anew after another wait", () => {
    let now = 0;
    const clock = { ...systemClock, monotonic: () => now };
    const slices = new Slices(clock, new AbortController().signal);
    now = 5;
    expect(slices.isOver).to.equal(true);

    slices.begin();
    now = 9;
    expect(slices.isOver).to.equal(false);
    now = 10;
    expect(slices.isOver).to.equal(true);
  });

  it("end for somebody who has gone", async () => {
    const gone = new AbortController();
    const slices = new Slices(fast(), gone.signal);
    gone.abort(new Error("gone"));

    const reason = await slices.turn().catch((thrown: unknown) => thrown);

    expect(reason).to.equal(gone.signal.reason);
  });

  it("sort with rests, and leave what is equal in its order", async () => {
    let rests = 0;
    const slices = new Slices(systemClock, new AbortController().signal);
    slices.rest = () => {
      rests++;
      return undefined;
    };
    const items = Array.from({ length: 5000 }, (_, index) => ({ rank: (index * 7) % 11, index }));

    const sorted = await sortedIn(slices, items, (a, b) => a.rank - b.rank);

    expect(sorted).to.deep.equal(items.toSorted((a, b) => a.rank - b.rank));
    expect(rests).to.be.greaterThan(10);
  });
});

import { expect } from "chai";
import { FakeClock } from "kopf-ts/testing";
import { Precedence } from "./precedence.ts";

describe("Precedence", () => {
  const never = new AbortController().signal;

  /** Tells whether it has resolved. */
  function watched(promise: Promise<void>): { readonly is: () => Promise<boolean> } {
    let isThere = false;
    void promise.then(() => {
      isThere = true;
    });
    return {
      is: async () => {
        await new Promise(setImmediate);
        return isThere;
      },
    };
  }

  it("lets work go on while nobody waits", async () => {
    const precedence = new Precedence(new FakeClock(0));

    await precedence.calm(never);
  });

  it("puts work off until the last of those who wait has what they want", async () => {
    const precedence = new Precedence(new FakeClock(0));
    const [one, other] = [precedence.wait(), precedence.wait()];
    const work = watched(precedence.calm(never));

    one[Symbol.dispose]();
    one[Symbol.dispose]();
    const early = await work.is();
    other[Symbol.dispose]();

    expect([early, await work.is()]).to.deep.equal([false, true]);
  });

  it("puts work off again when somebody waits again", async () => {
    const precedence = new Precedence(new FakeClock(0));
    precedence.wait()[Symbol.dispose]();
    const first = precedence.wait();
    const work = watched(precedence.calm(never));
    first[Symbol.dispose]();
    const done = await work.is();
    const second = precedence.wait();

    const later = watched(precedence.calm(never));
    const early = await later.is();
    second[Symbol.dispose]();

    expect([done, early, await later.is()]).to.deep.equal([true, false, true]);
  });

  it("puts work off again when somebody waits before it has gone on", async () => {
    const precedence = new Precedence(new FakeClock(0));
    const first = precedence.wait();
    const work = watched(precedence.calm(never));
    first[Symbol.dispose]();
    const second = precedence.wait();
    const done = await work.is();

    const later = watched(precedence.calm(never));
    const early = await later.is();
    second[Symbol.dispose]();

    expect([done, early, await later.is()]).to.deep.equal([true, false, true]);
  });

  it("puts work off for ten seconds at most", async () => {
    const clock = new FakeClock(0);
    const precedence = new Precedence(clock);
    precedence.wait();
    const work = watched(precedence.calm(never));

    await clock.advance(9_999);
    const early = await work.is();
    await clock.advance(1);

    expect([early, await work.is()]).to.deep.equal([false, true]);
  });

  it("lets go of work when its signal aborts", async () => {
    const precedence = new Precedence(new FakeClock(0));
    precedence.wait();
    const stop = new AbortController();
    const work = precedence.calm(stop.signal);

    stop.abort();

    await work;
  });
});

import { getEventListeners } from "node:events";
import { expect } from "chai";
import { fakeClock } from "../testing/index.ts";
import { LinkedAbort, unlessAborted, within } from "./within.ts";

describe("within", () => {
  it("is true when the promise is in time, and leaves no timer", async () => {
    const clock = fakeClock();

    expect(await within(clock, 1000, Promise.resolve())).to.equal(true);
    expect(clock.pending).to.equal(0);
  });

  it("is false when it is late", async () => {
    const clock = fakeClock();
    const result = within(clock, 1000, new Promise(() => undefined));

    await clock.advance(1000);

    expect(await result).to.equal(false);
  });

  it("passes a rejection on, and leaves no timer", async () => {
    const clock = fakeClock();
    const failed = within(clock, 1000, Promise.reject(new Error("no")));

    expect(await failed.catch((error: Error) => error.message)).to.equal("no");
    expect(clock.pending).to.equal(0);
  });
});

describe("unlessAborted", () => {
  it("passes on what the promise becomes, and leaves no listener", async () => {
    const stop = new AbortController();

    expect(await unlessAborted(Promise.resolve(1), stop.signal)).to.equal(1);
    const failed = unlessAborted(Promise.reject(new Error("no")), stop.signal);
    expect(await failed.catch((error: Error) => error.message)).to.equal("no");
    expect(getEventListeners(stop.signal, "abort")).to.deep.equal([]);
  });

  it("does not wait for what ignores the signal", async () => {
    const stop = new AbortController();
    const waiting = unlessAborted(new Promise(() => undefined), stop.signal);

    stop.abort("why");

    expect(await waiting.catch((reason: unknown) => reason)).to.equal("why");
  });
});

describe("LinkedAbort", () => {
  it("follows its parent with its reason", () => {
    const parent = new AbortController();
    using link = new LinkedAbort(parent.signal);

    parent.abort("why");

    expect(link.signal.reason).to.equal("why");
  });

  it("aborts at once under a parent that has aborted", () => {
    using link = new LinkedAbort(AbortSignal.abort("why"));

    expect(link.signal.reason).to.equal("why");
  });

  it("aborts alone", () => {
    const parent = new AbortController();
    using link = new LinkedAbort(parent.signal);

    link.abort("mine");

    expect([link.signal.reason, parent.signal.aborted]).to.deep.equal(["mine", false]);
  });

  it("no longer follows once disposed", () => {
    const parent = new AbortController();
    const link = new LinkedAbort(parent.signal);

    link[Symbol.dispose]();
    parent.abort();

    expect(link.signal.aborted).to.equal(false);
  });
});

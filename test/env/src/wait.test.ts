import { expect } from "chai";
import { settles, until } from "./wait.ts";

const reason = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no rejection",
    (error: unknown) => error,
  );

describe("until", () => {
  it("resolves with the first value that is not undefined, falsy ones included", async () => {
    const answers = [undefined, undefined, 0, 1];

    expect(await until("a value", () => answers.shift(), { timeout: 1_000, every: 1 })).to.equal(0);
  });

  it("outlasts errors and names the last one when time is up", async () => {
    let calls = 0;
    const probe = (): undefined => {
      throw new Error(`fault ${++calls}`);
    };

    const error = await reason(until("the thing", probe, { timeout: 50, every: 10 }));

    expect(calls).to.be.above(2);
    expect(String(error)).to.equal(`Error: the thing took longer than 0.05 s: fault ${calls}`);
  });

  it("looks at least once, even without time", async () => {
    expect(await until("at once", () => 1, { timeout: 0 })).to.equal(1);
  });

  it("rejects with the reason of an abort, also in the middle of a pause", async () => {
    const abort = new AbortController();
    const waiting = reason(
      until("never", () => undefined, { timeout: 60_000, every: 60_000, signal: abort.signal }),
    );

    abort.abort(new Error("enough"));

    expect(String(await waiting)).to.equal("Error: enough");
  });
});

describe("settles", () => {
  it("is true for a promise that resolves or rejects in time", async () => {
    expect(await settles(Promise.resolve(), 1_000)).to.equal(true);
    expect(await settles(Promise.reject(new Error("late")), 1_000)).to.equal(true);
  });

  it("is false for one that does not", async () => {
    expect(await settles(new Promise(() => undefined), 10)).to.equal(false);
  });
});

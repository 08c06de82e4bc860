import { expect } from "chai";
import { Turnstile } from "./turnstile.ts";

describe("Turnstile", () => {
  /** Time that only work takes. */
  const worked = (): { readonly turnstile: Turnstile; work(time: number): void } => {
    let now = 0;
    const turnstile = new Turnstile({ monotonic: () => now });
    const work = (time: number): void => {
      now += time;
    };
    return { turnstile, work };
  };
  const { signal } = new AbortController();

  it("lets those that come together begin in order, for 2 ms of each turn", async () => {
    const { turnstile, work } = worked();
    const begun: number[] = [];
    const turns: number[] = [];
    let turn = 0;
    const count = (): void => {
      turn++;
      if (begun.length < 20) setImmediate(count);
    };
    setImmediate(count);
    const requests = Array.from({ length: 20 }, async (_, index) => {
      await turnstile.pass(signal);
      await Promise.resolve(); // what it does at once may take some microtasks
      await Promise.resolve();
      begun.push(index);
      turns.push(turn);
      work(0.8);
    });

    await Promise.all(requests);
    expect(begun).to.deep.equal(Array.from({ length: 20 }, (_, index) => index));
    const sizes = [...Map.groupBy(turns, (each) => each).values()].map(({ length }) => length);
    expect(sizes, "0.8 + 0.8 + 0.8 ms").to.deep.equal([3, 3, 3, 3, 3, 3, 2]);
  });

  it("lets nobody in who has gone", async () => {
    const { turnstile, work } = worked();
    const gone = new AbortController();
    await turnstile.pass(signal);
    work(2);
    const waiting = turnstile.pass(gone.signal).catch((thrown: unknown) => thrown);
    gone.abort(new Error("gone"));

    expect(await waiting).to.equal(gone.signal.reason);
  });
});

import { expect } from "chai";
import { Departures } from "./departures.ts";

const kib = 1024;
const { signal } = new AbortController();

describe("Departures", () => {
  const turn = (): Promise<void> => new Promise(setImmediate);
  /** Behind all microtasks. */
  const tick = async (): Promise<void> => {
    await Promise.resolve(); // Node runs its ticks before microtasks unless it is among these
    await new Promise(process.nextTick);
  };

  it("lets all go together that have come in a turn, in order", async () => {
    const departures = new Departures();
    const seen: string[] = [];
    void departures.next(0, signal).then(() => seen.push("first"));
    setImmediate(() => seen.push("who came between"));
    void departures.next(100 * kib, signal).then(() => seen.push("second"));

    await tick();
    expect(seen).to.deep.equal([]);
    await turn();
    expect(seen).to.deep.equal(["first", "second", "who came between"]);
  });

  it("has those wait that come later", async () => {
    const departures = new Departures();
    const seen: string[] = [];
    await departures.next(0, signal);
    void departures.next(0, signal).then(() => seen.push("later"));

    await tick();
    expect(seen).to.deep.equal([]);
    await turn();
    expect(seen).to.deep.equal(["later"]);
  });

  it("leaves more than 4 MiB, each with 64 KiB on top, for the next turn", async () => {
    const departures = new Departures();
    let gone = 0;
    for (let index = 0; index < 40; index++)
      void departures.next(192 * kib, signal).then(() => gone++);

    const counts: number[] = [];
    for (let index = 0; index < 4; index++) {
      await turn();
      counts.push(gone);
    }
    expect(counts).to.deep.equal([16, 32, 40, 40]);
  });

  it("has nobody wait for those who have gone", async () => {
    const departures = new Departures();
    const caller = new AbortController();
    const left = Array.from({ length: 40 }, () => departures.next(192 * kib, caller.signal));
    const seen: string[] = [];
    void departures.next(0, signal).then(() => seen.push("who is there"));
    caller.abort(new Error("gone"));
    const settled = Promise.allSettled(left);

    await turn();
    expect(seen).to.deep.equal(["who is there"]);
    for (const each of await settled)
      expect(each).to.deep.equal({ status: "rejected", reason: caller.signal.reason });
  });
});

import { getEventListeners } from "node:events";
import { expect } from "chai";
import { fakeClock } from "../testing/index.ts";
import { Barrier } from "./barrier.ts";

describe("Barrier", () => {
  it("is passed at once by what was reached before", async () => {
    const barrier = new Barrier(fakeClock());
    barrier.reach("100");

    expect(await barrier.wait("99", {})).to.equal(true);
    expect(await barrier.wait("100", {})).to.equal(true);
  });

  it("lets those go whose resourceVersion is reached, and no others", async () => {
    const clock = fakeClock();
    const barrier = new Barrier(clock);
    const passed: string[] = [];
    const waits = ["9", "10", "11"].map((version) =>
      barrier.wait(version, {}).then((reached) => reached && passed.push(version)),
    );

    barrier.reach("10");
    await clock.advance(0);
    const first = [...passed];
    barrier.reach("200");
    await Promise.all(waits);

    expect(first).to.deep.equal(["9", "10"]);
    expect(passed).to.deep.equal(["9", "10", "11"]);
    expect(clock.pending).to.equal(0);
  });

  it("gives up after the timeout, 5 seconds unless told", async () => {
    const clock = fakeClock();
    const barrier = new Barrier(clock);
    const results: unknown[] = [];
    void barrier.wait("1", {}).then((reached) => results.push(reached, clock.monotonic()));
    void barrier.wait("1", { timeout: 10 }).then((reached) => results.push(reached, "soon"));

    await clock.advance(10);
    const early = [...results];
    await clock.advance(4990);

    expect(early).to.deep.equal([false, "soon"]);
    expect(results).to.deep.equal([false, "soon", false, 5000]);
  });

  it("rejects with the signal's reason, and keeps no timer", async () => {
    const clock = fakeClock();
    const barrier = new Barrier(clock);
    const stop = new AbortController();
    const waiting = barrier.wait("1", { signal: stop.signal }).catch((reason: unknown) => reason);

    stop.abort("enough");
    const late = barrier.wait("1", { signal: stop.signal }).catch((reason: unknown) => reason);

    expect(await waiting).to.equal("enough");
    expect(await late).to.equal("enough");
    expect(clock.pending).to.equal(0);
  });

  it("leaves nothing on a signal that outlives the wait, however that ended", async () => {
    const clock = fakeClock();
    const barrier = new Barrier(clock);
    const { signal } = new AbortController();
    const waits = ["1", "2", "3"].map((version, index) =>
      barrier.wait(version, { signal, timeout: (index + 1) * 100 }),
    );
    const during = getEventListeners(signal, "abort").length;

    barrier.reach("1");
    await clock.advance(200);
    barrier.close();

    expect(await Promise.all(waits)).to.deep.equal([true, false, false]);
    expect(during).to.equal(3);
    expect(getEventListeners(signal, "abort")).to.deep.equal([]);
  });

  it("sends everybody away when it closes", async () => {
    const clock = fakeClock();
    const barrier = new Barrier(clock);
    const waiting = barrier.wait("1", {});

    barrier.close();

    expect(await waiting).to.equal(false);
    expect(clock.pending).to.equal(0);
  });
});

import { expect } from "chai";
import { fakeClock } from "./fake-clock.ts";

describe("fakeClock", () => {
  it("stands still until it is moved", async () => {
    const clock = fakeClock("2025-01-01T00:00:00Z");
    const before = [clock.now(), clock.monotonic()];

    await new Promise((resolve) => setImmediate(resolve));
    expect([clock.now(), clock.monotonic()]).to.deep.equal(before);
    await clock.advance(1_500);

    expect(clock.now()).to.equal(Date.parse("2025-01-01T00:00:01.500Z"));
    expect(clock.monotonic()).to.equal(1_500);
  });

  it("runs timers in the order they are due, each at its own time", async () => {
    const clock = fakeClock(0);
    const ran: [string, number][] = [];
    const note = (name: string) => (): void => void ran.push([name, clock.monotonic()]);
    clock.after(20, note("second"));
    clock.after(10, note("first"));
    clock.after(20, note("third"));
    clock.after(21, note("later"));

    await clock.advance(20);

    expect(ran).to.deep.equal([
      ["first", 10],
      ["second", 20],
      ["third", 20],
    ]);
    expect(clock.pending).to.equal(1);
  });

  it("runs what timers and promises set up on the way", async () => {
    const clock = fakeClock(0);
    const ran: number[] = [];
    const loop = async (): Promise<void> => {
      for (let i = 0; i < 5; i++) {
        await clock.sleep(10);
        await Promise.resolve();
        ran.push(clock.monotonic());
      }
    };
    void loop();

    await clock.advance(35);

    expect(ran).to.deep.equal([10, 20, 30]);
  });

  it("runs a timer beyond 2^31 ms when its time has come", async () => {
    const clock = fakeClock(0);
    let ran = false;
    clock.after(2 ** 32, () => {
      ran = true;
    });

    await clock.advance(2 ** 32 - 1);
    expect(ran).to.equal(false);
    await clock.advance(1);
    expect(ran).to.equal(true);
  });

  it("forgets a timer that is cancelled and a sleep that is aborted", async () => {
    const clock = fakeClock(0);
    const stop = new AbortController();
    const timer = clock.after(10, () => expect.fail("ran"));
    const sleep = clock.sleep(10, stop.signal).catch((reason: unknown) => reason);

    timer.cancel();
    timer.cancel();
    stop.abort("enough");

    expect(await sleep).to.equal("enough");
    expect(clock.pending).to.equal(0);
    await clock.advance(20);
  });

  it("jumps with the time of day without running timers", async () => {
    const clock = fakeClock(1_000_000);
    let ran = false;
    clock.after(10, () => {
      ran = true;
    });

    clock.setNow(5);
    await clock.advance(0);

    expect([clock.now(), clock.monotonic(), ran]).to.deep.equal([5, 0, false]);
    await clock.advance(10);
    expect([clock.now(), clock.monotonic(), ran]).to.deep.equal([15, 10, true]);
  });
});

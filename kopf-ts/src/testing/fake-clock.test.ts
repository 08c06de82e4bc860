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

  describe("at", () => {
    it("runs at its time of day among the timers, in order", async () => {
      const clock = fakeClock(1_000_000);
      const ran: [string, number][] = [];
      const note = (name: string) => (): void => void ran.push([name, clock.now()]);
      clock.after(30, note("after"));
      clock.at(1_000_040, note("at"));
      clock.at(1_000_020, note("earlier"));

      await clock.advance(40);

      expect(ran).to.deep.equal([
        ["earlier", 1_000_020],
        ["after", 1_000_030],
        ["at", 1_000_040],
      ]);
    });

    it("is never before its time, however the fractions round", async () => {
      const clock = fakeClock(1_700_000_000_000.3);
      const early: number[] = [];
      for (let at = 1; at < 200; at += 1) {
        const time = 1_700_000_000_000 + at * 0.7;
        clock.at(time, () => clock.now() < time && early.push(time));
      }

      for (let step = 0; step < 200; step += 1) await clock.advance(0.9);

      expect(early).to.deep.equal([]);
      expect(clock.pending).to.equal(0);
    });

    it("is due at the next move of a clock that was set past it, and not before", async () => {
      const clock = fakeClock(1_000_000);
      let ran = 0;
      clock.at(2_000_000, () => {
        ran += 1;
      });

      clock.setNow(3_000_000);
      expect(ran).to.equal(0);
      await clock.advance(0);

      expect([ran, clock.monotonic()]).to.deep.equal([1, 0]);
    });

    it("waits for the new time of a clock that was set back", async () => {
      const clock = fakeClock(1_000_000);
      let ran = false;
      clock.at(1_000_010, () => {
        ran = true;
      });

      clock.setNow(0);
      await clock.advance(1_000_009);
      expect(ran).to.equal(false);
      await clock.advance(1);
      expect(ran).to.equal(true);
    });

    it("forgets an alarm that is cancelled, and takes no NaN", async () => {
      const clock = fakeClock(0);
      clock.at(10, () => expect.fail("ran")).cancel();

      expect(clock.pending).to.equal(0);
      expect(() => clock.at(Number.NaN, () => undefined)).to.throw(TypeError);
      await clock.advance(20);
    });
  });
});

import { expect } from "chai";
import { keptLog } from "../admission/testing/lines.ts";
import { aborted, type Logger, never, silentLogger } from "../base/index.ts";
import { type FakeClock, fakeClock } from "../testing/index.ts";
import { Crew, type Runner } from "./crew.ts";

/** Runs until it is told to stop; notes what it is told. */
class Recorded implements Runner {
  readonly told: string[] = [];
  /** What it still has in work when it drains. */
  work: Promise<void> = Promise.resolve();
  failure: Promise<never> | undefined;
  warmed: Promise<void> = Promise.resolve();

  async warm(): Promise<void> {
    await this.warmed;
    this.told.push("warm");
  }

  async start(signal: AbortSignal): Promise<void> {
    this.told.push("start");
    await (this.failure ?? aborted(signal));
    this.told.push("stop");
  }

  async drain(): Promise<void> {
    this.told.push("drain");
    await this.work;
    this.told.push("drained");
  }
}

function aCrew(
  runners: readonly Runner[],
  clock: FakeClock = fakeClock(),
  log: Logger = silentLogger,
): Crew {
  const members = runners.map((runner, index) => ({ name: `member ${index}`, runner }));
  return new Crew(members, { clock, log, drainTimeout: 30_000 });
}

describe("Crew", () => {
  it("drains before it stops, and only once", async () => {
    const runner = new Recorded();
    const crew = aCrew([runner]);
    const working = crew.work(never);

    await Promise.all([crew.drain(), crew.drain()]);
    await working;

    expect(runner.told).to.deep.equal(["start", "drain", "drained", "stop"]);
  });

  it("aborts what does not end within the limit", async () => {
    const clock = fakeClock();
    const runner = new Recorded();
    runner.work = new Promise(() => undefined);
    const crew = aCrew([runner], clock);
    void crew.work(never);

    const drained = crew.drain();
    await clock.advance(29_999);
    expect(runner.told).to.deep.equal(["start", "drain"]);

    await clock.advance(1);
    await drained;
    expect(runner.told).to.deep.equal(["start", "drain", "stop"]);
  });

  it("stops at once, without draining, when its signal aborts", async () => {
    const stop = new AbortController();
    const runner = new Recorded();
    const working = aCrew([runner]).work(stop.signal);

    stop.abort();
    await working;

    expect(runner.told).to.deep.equal(["start", "stop"]);
  });

  it("rejects when a controller fails", async () => {
    const runner = new Recorded();
    runner.failure = Promise.reject(new Error("broken"));

    const error = await aCrew([new Recorded(), runner])
      .work(never)
      .catch((thrown) => thrown);

    expect(error).to.be.instanceOf(Error).with.property("message", "broken");
  });

  it("gives back what was only warmed", async () => {
    const runner = new Recorded();
    const crew = aCrew([runner]);
    await crew.warm(never);

    await crew.drain();

    expect(runner.told).to.deep.equal(["warm", "drain", "drained"]);
  });

  it("leaves behind what ignores its signal, and says what", async () => {
    const clock = fakeClock();
    const { logger, lines } = keptLog();
    const deaf = new Recorded();
    deaf.failure = deaf.work = new Promise<never>(() => undefined);
    const crew = aCrew([new Recorded(), deaf], clock, logger);
    void crew.work(never);

    const drained = crew.drain();
    await clock.advance(32_000);
    await drained;

    expect(lines.map(({ msg, unfinished }) => [msg, unfinished])).to.deep.equal([
      ["aborting what did not end in time", ["member 1"]],
      ["leaving behind what ignores its signal", ["member 1"]],
    ]);
  });

  it("can let each controller start as soon as it is warm itself", async () => {
    const cold = new Recorded();
    const late = Promise.withResolvers<void>();
    cold.warmed = late.promise;
    const ready = new Recorded();
    let warm = false;
    const crew = aCrew([cold, ready]);
    const working = crew.workWhenWarm(() => {
      warm = true;
    });
    await Promise.resolve().then(() => undefined);

    await new Promise((resolve) => setImmediate(resolve));
    expect([cold.told, ready.told, warm]).to.deep.equal([[], ["warm", "start"], false]);

    late.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect([cold.told, warm]).to.deep.equal([["warm", "start"], true]);

    await crew.drain();
    await working;
  });
});

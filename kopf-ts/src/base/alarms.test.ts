import { expect } from "chai";
import { type FakeClock, fakeClock, type Random, seededRandom } from "../testing/index.ts";
import { alarms } from "./alarms.ts";
import { type Clock, systemClock } from "./clock.ts";

const start = Date.parse("2025-01-01T00:00:00Z");
const second = 1_000;
const hour = 3_600 * second;

/** Alarms on top of a clock that can do no more than call back after a while. */
class Subject {
  readonly clock: FakeClock = fakeClock(start);
  /** Timers set so far. */
  timers = 0;
  /** Names of alarms that rang, with their wall times. */
  readonly rang: [string, number][] = [];
  readonly at: Clock["at"] = alarms({
    now: () => this.clock.now(),
    monotonic: () => this.clock.monotonic(),
    after: (delay, fn) => {
      this.timers += 1;
      return this.clock.after(delay, fn);
    },
  });

  /** An alarm that notes when it rings, `delay` from the start. */
  set(name: string, delay: number): ReturnType<Clock["at"]> {
    return this.at(start + delay, () => void this.rang.push([name, this.clock.now() - start]));
  }
}

describe("alarms", () => {
  it("ring at their times, in order, each once", async () => {
    const subject = new Subject();
    for (const delay of [2_500, 10, 90_000, 999, 1_000]) subject.set(`at-${delay}`, delay);

    await subject.clock.advance(hour);

    expect(subject.rang).to.deep.equal([
      ["at-10", 10],
      ["at-999", 999],
      ["at-1000", 1_000],
      ["at-2500", 2_500],
      ["at-90000", 90_000],
    ]);
  });

  it("ring at once, but not before `at` returns, when their time has passed", async () => {
    const subject = new Subject();

    subject.set("past", -hour);
    expect(subject.rang).to.deep.equal([]);
    await subject.clock.advance(0);

    expect(subject.rang).to.deep.equal([["past", 0]]);
  });

  it("ring at a time more than 2^31 ms away, and not before", async () => {
    const subject = new Subject();
    const far = 2 ** 32 + 500;
    subject.set("far", far);

    // All but the last hour in one step: an hour of looks is enough.
    subject.clock.setNow(start + far - hour);
    await subject.clock.advance(hour - 1);
    expect(subject.rang).to.deep.equal([]);
    await subject.clock.advance(1);

    expect(subject.rang).to.deep.equal([["far", far]]);
  });

  describe("when the clock is set", () => {
    it("ring within a second of monotonic time when it went past their time", async () => {
      const subject = new Subject();
      subject.set("tomorrow", 24 * hour);
      await subject.clock.advance(hour + 300);

      subject.clock.setNow(start + 48 * hour);
      const jumped = subject.clock.monotonic();
      await subject.clock.advance(second);

      expect(subject.rang).to.have.length(1);
      expect((subject.rang[0]?.[1] ?? 0) - 48 * hour).to.be.within(0, second);
      expect(subject.clock.monotonic() - jumped).to.equal(second);
    });

    it("ring exactly at their time when it went to just before it", async () => {
      const subject = new Subject();
      subject.set("tomorrow", 24 * hour);

      subject.clock.setNow(start + 24 * hour - 5_250);
      await subject.clock.advance(10 * second);

      expect(subject.rang).to.deep.equal([["tomorrow", 24 * hour]]);
    });

    it("wait for the new time when it went back", async () => {
      const subject = new Subject();
      subject.set("soon", 500);

      subject.clock.setNow(start - hour);
      await subject.clock.advance(hour + 499);
      expect(subject.rang).to.deep.equal([]);
      await subject.clock.advance(1);

      expect(subject.rang).to.deep.equal([["soon", 500]]);
    });

    it("are on time again after it went forward and somebody sets one for just then", async () => {
      const subject = new Subject();
      subject.set("next year", 365 * 24 * hour);
      await subject.clock.advance(100);

      subject.clock.setNow(start + hour);
      subject.set("soon", hour + 20);
      await subject.clock.advance(50);

      expect(subject.rang).to.deep.equal([["soon", hour + 20]]);
    });
  });

  it("look once a second and share one timer, however many wait", async () => {
    const subject = new Subject();
    for (let at = 10_000; at > 0; at -= 1) subject.set("later", 24 * hour + at);
    expect(subject.clock.pending).to.equal(1);
    const before = subject.timers;

    await subject.clock.advance(60 * second);

    expect(subject.timers - before).to.equal(60);
    expect(subject.clock.pending).to.equal(1);
  });

  it("look at no more than the first alarm when nothing is due", async () => {
    let looks = 0;
    const clock = fakeClock(start);
    const at = alarms({
      now: () => {
        looks += 1;
        return clock.now();
      },
      monotonic: () => clock.monotonic(),
      after: (delay, fn) => clock.after(delay, fn),
    });
    for (let more = 0; more < 5_000; more += 1) at(start + hour + more, () => undefined);
    looks = 0;

    await clock.advance(10 * second);

    expect(looks).to.equal(20); // one to ring, one to arm
  });

  it("keep no timer when all have rung or were cancelled", async () => {
    const subject = new Subject();
    const cancelled = subject.set("cancelled", 20);
    const rung = subject.set("rung", 10);

    await subject.clock.advance(10);
    rung.cancel();
    cancelled.cancel();
    cancelled.cancel();

    expect(subject.clock.pending).to.equal(0);
    await subject.clock.advance(hour);
    expect(subject.rang).to.deep.equal([["rung", 10]]);
  });

  it("can be set and cancelled by one that rings", async () => {
    const subject = new Subject();
    const victim = subject.set("victim", 10);
    subject.at(start + 5, () => {
      victim.cancel();
      subject.set("again", 7);
    });

    await subject.clock.advance(second);

    expect(subject.rang).to.deep.equal([["again", 7]]);
  });

  it("ring although the one before throws", async () => {
    const subject = new Subject();
    subject.at(start + 10, () => {
      throw new Error("mine alone");
    });
    subject.set("next", 10);

    const thrown = await subject.clock.advance(10).catch((error: unknown) => error);
    await subject.clock.advance(0);

    expect(thrown).to.have.property("message", "mine alone");
    expect(subject.rang).to.deep.equal([["next", 10]]);
  });

  it("let the event loop go on when very many are due at once", async () => {
    const subject = new Subject();
    for (let at = 0; at < 5_000; at += 1) subject.set("one", hour);
    const before = subject.timers;

    subject.clock.setNow(start + 2 * hour);
    await subject.clock.advance(second);

    expect(subject.rang).to.have.length(5_000);
    expect(subject.timers - before).to.equal(4); // a turn for each thousand: one timer was there
  });

  it("take no NaN, which would spoil the order", () => {
    expect(() => new Subject().at(Number.NaN, () => undefined)).to.throw(TypeError, "NaN");
  });

  for (let seed = 1; seed <= 20; seed += 1) {
    it(`are never early and at most a second late, whatever is done to the clock (seed ${seed})`, async () => {
      const chaos = new Chaos(seededRandom(seed));

      for (let step = 0; step < 300; step += 1) await chaos.step();

      expect(chaos.broken).to.deep.equal([]);
    });
  }
});

/** Sets, cancels and lets pass at random, and keeps what the alarms promise. */
class Chaos {
  readonly broken: string[] = [];
  readonly #subject = new Subject();
  readonly #random: Random;
  /** Alarms that wait, with the monotonic time since which they have been due. */
  readonly #waiting = new Map<ReturnType<Clock["at"]>, { time: number; due: number | undefined }>();

  constructor(random: Random) {
    this.#random = random;
  }

  async step(): Promise<void> {
    const { clock } = this.#subject;
    const action = this.#random.below(10);
    if (action < 5) this.#set(clock.now() + this.#random.below(20_000) - 2_000);
    else if (action < 6) this.#cancel();
    else if (action < 7) clock.setNow(clock.now() + this.#random.below(40_000) - 20_000);
    else await clock.advance(this.#random.below(1_500));
    this.#check();
  }

  #set(time: number): void {
    const { clock } = this.#subject;
    const timer = this.#subject.at(time, () => {
      if (clock.now() < time) this.broken.push(`early by ${time - clock.now()}`);
      if (!this.#waiting.delete(timer)) this.broken.push("rang after it rang or was cancelled");
    });
    this.#waiting.set(timer, { time, due: undefined });
  }

  #cancel(): void {
    const timer = [...this.#waiting.keys()][this.#random.below(this.#waiting.size)];
    timer?.cancel();
    if (timer !== undefined) this.#waiting.delete(timer);
  }

  /** What is due now and was due more than a second ago has been forgotten. */
  #check(): void {
    const { clock } = this.#subject;
    const now = clock.monotonic();
    for (const alarm of this.#waiting.values()) {
      if (alarm.time > clock.now()) alarm.due = undefined;
      else if (alarm.due === undefined) alarm.due = now;
      else if (now - alarm.due > second) this.broken.push(`late by ${now - alarm.due}`);
    }
  }
}

describe("systemClock", () => {
  it("calls back at a wall time, not before it and soon after", async () => {
    const time = Date.now() + 60;

    const rang = await new Promise<number>((resolve) => {
      systemClock.at(time, () => resolve(Date.now()));
    });

    expect(rang - time).to.be.within(0, 500); // a few ms, but the machine may be busy
  });

  it("does not fire early for a time beyond 2^31 ms", async () => {
    const alarm = systemClock.at(Date.now() + 2 ** 31 + hour, () => expect.fail("too early"));

    await systemClock.sleep(20);

    alarm.cancel();
  });
});

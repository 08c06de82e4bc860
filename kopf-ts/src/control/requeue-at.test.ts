import { expect } from "chai";
import { alarms, type Clock, systemClock } from "../base/index.ts";
import { eventually, type FakeClock, fakeClock } from "../testing/index.ts";
import {
  type Controller,
  ControllerRunner,
  done,
  type Result,
  requeueAfter,
  requeueAt,
} from "./index.ts";
import { Fed, noClient, Widget } from "./testing/fed.ts";

const start = Date.parse("2026-01-01T00:00:00Z");
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** A controller with one object that answers as it is told, and notes the wall time of each run since the start. */
class Diary implements AsyncDisposable {
  readonly runs: number[] = [];
  readonly fed: Fed = new Fed();
  readonly runner: ControllerRunner;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  private constructor(clock: Clock, answers: (Result | Error)[], more: Partial<Controller>) {
    const controller: Controller = {
      name: "diary",
      watches: Widget,
      backoff: { min: 5 * second, max: 5 * second },
      reconcile: async () => {
        this.runs.push(clock.now() - start);
        const answer = answers.shift() ?? done;
        if (answer instanceof Error) throw answer;
        return answer;
      },
      ...more,
    };
    this.fed.list(["w"]);
    const deps = { client: noClient, informers: this.fed.informers, clock };
    this.runner = new ControllerRunner(controller, deps);
  }

  /** The first run has ended when it resolves; each further one gives the next answer, and `done` after the last. */
  static async open(
    clock: Clock,
    answers: (Result | Error)[],
    more: Partial<Controller> = {},
  ): Promise<Diary> {
    const diary = new Diary(clock, answers, more);
    diary.#running = diary.runner.start(diary.#stop.signal);
    await eventually(() => diary.runs.length === 1 && diary.runner.working === 0);
    return diary;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

/** Sets the clock and lets as much time pass as it may take to be noticed. */
async function jump(clock: FakeClock, duration: number): Promise<void> {
  clock.setNow(clock.now() + duration);
  await clock.advance(second);
}

describe("requeueAt of a running controller", () => {
  it("runs the key once, at that time and not before", async () => {
    const clock = fakeClock(start);
    await using diary = await Diary.open(clock, [requeueAt(start + day)]);

    await clock.advance(day - 1);
    expect(diary.runs).to.deep.equal([0]);
    await clock.advance(2 * day);

    expect(diary.runs).to.deep.equal([0, day]);
  });

  for (const { name, time } of [
    { name: "that has passed", time: start - day },
    { name: "at the epoch", time: 0 },
    { name: "before the epoch", time: -1 },
    { name: "that is now", time: start },
  ]) {
    it(`runs the key at once for a time ${name}`, async () => {
      const clock = fakeClock(start);
      await using diary = await Diary.open(clock, [requeueAt(start + hour), requeueAt(time)]);

      await clock.advance(hour);

      expect(diary.runs).to.deep.equal([0, hour, hour]);
    });
  }

  it("waits for longer than 2^31 ms", async () => {
    const clock = fakeClock(start);
    const far = 2 ** 32 + 7;
    await using diary = await Diary.open(clock, [requeueAt(start + far)]);

    await clock.advance(far - 1);
    expect(diary.runs).to.deep.equal([0]);
    await clock.advance(1);

    expect(diary.runs).to.deep.equal([0, far]);
  });

  describe("when the clock is set", () => {
    it("runs within a second when it went past the time, where requeueAfter goes on waiting", async () => {
      const clock = fakeClock(start);
      await using at = await Diary.open(clock, [requeueAt(start + day)]);
      await using after = await Diary.open(clock, [requeueAfter(day)]);

      await jump(clock, 2 * day);

      expect([at.runs.length, after.runs.length]).to.deep.equal([2, 1]);
    });

    it("runs on time when it went to just before the time", async () => {
      const clock = fakeClock(start);
      await using diary = await Diary.open(clock, [requeueAt(start + day)]);

      await jump(clock, day - minute);
      await clock.advance(hour);

      expect(diary.runs).to.deep.equal([0, day]);
    });

    it("waits for the new time when it went back, where requeueAfter does not", async () => {
      const clock = fakeClock(start);
      await using at = await Diary.open(clock, [requeueAt(start + minute)]);
      await using after = await Diary.open(clock, [requeueAfter(minute)]);

      await jump(clock, -hour);
      await clock.advance(hour);
      expect([at.runs.length, after.runs.length]).to.deep.equal([1, 2]);
      await clock.advance(minute);

      expect(at.runs).to.deep.equal([0, minute]);
    });

    it("catches up with all that came due while the machine slept", async () => {
      const clock = fakeClock(start);
      const answers = [requeueAt(start + hour), requeueAt(start + 2 * hour)];
      await using diary = await Diary.open(clock, answers);

      await jump(clock, day); // as a sleep looks: wall time went on, monotonic time did not

      expect(diary.runs).to.have.length(3);
    });
  });

  describe("after a change that ran the key earlier", () => {
    for (const { name, answer, runs } of [
      { name: "is forgotten", answer: done, runs: [0, minute] },
      {
        name: "gives way to a later time",
        answer: requeueAt(start + 3 * hour),
        runs: [0, minute, 3 * hour],
      },
      {
        name: "gives way to an earlier time",
        answer: requeueAt(start + 2 * minute),
        runs: [0, minute, 2 * minute],
      },
      {
        name: "gives way to a delay",
        answer: requeueAfter(2 * hour),
        runs: [0, minute, minute + 2 * hour],
      },
      {
        name: "gives way to an error's back-off",
        answer: new Error("once"),
        runs: [0, minute, minute + 5 * second],
      },
      {
        name: "is the same when asked for again",
        answer: requeueAt(start + hour),
        runs: [0, minute, hour],
      },
    ]) {
      it(name, async () => {
        const clock = fakeClock(start);
        await using diary = await Diary.open(clock, [requeueAt(start + hour), answer]);
        await clock.advance(minute);

        diary.fed.change("w");
        await clock.advance(5 * hour);

        expect(diary.runs).to.deep.equal(runs);
        expect(diary.runner.delayed).to.equal(0);
      });
    }
  });

  it("takes the earlier of a delay and a time", async () => {
    const clock = fakeClock(start);
    const answers = [
      { requeueAfter: hour, requeueAt: start + minute },
      { requeueAfter: second, requeueAt: start + hour },
    ];
    await using diary = await Diary.open(clock, answers);

    await clock.advance(day);

    expect(diary.runs).to.deep.equal([0, minute, minute + second]);
  });

  it("leaves nothing behind for an object that is deleted", async () => {
    const clock = fakeClock(start);
    await using diary = await Diary.open(clock, [requeueAt(start + day)]);

    diary.fed.delete("w");
    await clock.advance(0);

    expect([diary.runner.delayed, clock.pending]).to.deep.equal([0, 0]);
  });

  it("calls gone again at the time it asks for", async () => {
    const clock = fakeClock(start);
    let calls = 0;
    const gone: Controller["gone"] = async () => {
      calls += 1;
      return calls === 1 ? requeueAt(start + hour) : done;
    };
    await using diary = await Diary.open(clock, [], { gone });
    diary.fed.delete("w");

    await clock.advance(hour - 1);
    expect(calls).to.equal(1);
    await clock.advance(1);

    expect(calls).to.equal(2);
    expect(diary.runner.delayed).to.equal(0);
  });

  it("leaves no timer behind when the controller stops", async () => {
    const clock = fakeClock(start);
    const diary = await Diary.open(clock, [requeueAt(start + day)]);
    expect(clock.pending).to.equal(1);

    await diary[Symbol.asyncDispose]();

    expect(clock.pending).to.equal(0);
  });

  it("fails as any error for what is no time, and tries again", async () => {
    const clock = fakeClock(start);
    await using diary = await Diary.open(clock, [{ requeueAt: Number.NaN }]);

    await clock.advance(5 * second);

    expect(diary.runs).to.deep.equal([0, 5 * second]);
  });

  it("is on time by the machine's clock, and notices that it is set", async () => {
    let ahead = 0;
    const time = { ...systemClock, now: () => Date.now() + ahead };
    const clock: Clock = { ...time, at: alarms(time) };
    const [soon, tomorrow] = [Date.now() + 150, Date.now() + day];
    await using diary = await Diary.open(clock, [requeueAt(soon), requeueAt(tomorrow)]);

    await eventually(() => diary.runs.length === 2 && diary.runner.working === 0);
    ahead = 2 * day;
    const set = performance.now();
    await eventually(() => diary.runs.length === 3, { within: 1_800 });

    expect((diary.runs[1] ?? 0) + start - soon).to.be.within(0, 500); // a few ms, but the machine may be busy
    expect(performance.now() - set).to.be.below(1_700);
  }).timeout(5_000);
});

import { expect } from "chai";
import { type FakeClock, fakeClock } from "../testing/index.ts";
import { priorities, Queue, QueueClosed, type QueueOptions } from "./queue.ts";

const never = new AbortController().signal;

function aQueue(options: QueueOptions = {}): { queue: Queue; clock: FakeClock } {
  const clock = fakeClock();
  return { queue: new Queue({ clock, ...options }), clock };
}

/** Everything that is ready, each key marked done. */
function workedOff(queue: Queue): readonly string[] {
  const keys: string[] = [];
  for (let key = queue.take(); key !== undefined; key = queue.take()) {
    keys.push(key);
    queue.done(key);
  }
  return keys;
}

/** The error a promise rejects with. */
async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail("resolved"),
    (thrown: unknown) => thrown,
  );
}

describe("Queue", () => {
  describe("add", () => {
    it("queues a key once", () => {
      const { queue } = aQueue();
      for (let time = 0; time < 3; time += 1) queue.add("a");

      expect(queue.size).to.equal(1);
      expect(workedOff(queue)).to.deep.equal(["a"]);
    });

    it("keeps the order of arrival", () => {
      const { queue } = aQueue();
      for (const key of ["c", "a", "b", "a"]) queue.add(key);

      expect(workedOff(queue)).to.deep.equal(["c", "a", "b"]);
    });

    it("orders by priority: what users do, leader change, initial list", () => {
      const { queue } = aQueue();
      queue.add("listed", { priority: priorities.initialList });
      queue.add("taken-over", { priority: priorities.leaderChange });
      queue.add("edited");

      expect(workedOff(queue)).to.deep.equal(["edited", "taken-over", "listed"]);
    });

    it("raises the priority of a key that waits, and never lowers it", () => {
      const { queue } = aQueue();
      queue.add("other", { priority: -50 });
      queue.add("key", { priority: -100 });
      queue.add("key", { priority: 0 });
      queue.add("key", { priority: -100 });

      expect(workedOff(queue)).to.deep.equal(["key", "other"]);
    });

    it("keeps the place of a key that is added again at the same priority", () => {
      const { queue } = aQueue();
      for (const key of ["a", "b", "a"]) queue.add(key);

      expect(workedOff(queue)).to.deep.equal(["a", "b"]);
    });
  });

  describe("delays", () => {
    it("hands a key out when its time has come, and not before", async () => {
      const { queue, clock } = aQueue();
      queue.add("a", { after: 1000 });

      await clock.advance(999);
      expect(workedOff(queue)).to.deep.equal([]);
      expect(queue.delayed).to.equal(1);

      await clock.advance(1);
      expect(workedOff(queue)).to.deep.equal(["a"]);
    });

    it("takes the earliest of several times", async () => {
      const { queue, clock } = aQueue();
      queue.add("a", { after: 1000 });
      queue.add("a", { after: 10 });
      queue.add("a", { after: 500 });

      await clock.advance(10);

      expect(workedOff(queue)).to.deep.equal(["a"]);
      await clock.advance(10_000);
      expect(workedOff(queue)).to.deep.equal([]);
    });

    it("runs a delayed key at once when it is added without delay", () => {
      const { queue, clock } = aQueue();
      queue.add("a", { after: 1000 });
      queue.add("a");

      expect(workedOff(queue)).to.deep.equal(["a"]);
      expect(clock.pending).to.equal(0);
    });

    it("does not put off a key that waits already, but raises it", () => {
      const { queue } = aQueue();
      queue.add("other", { priority: -50 });
      queue.add("a", { priority: -100 });
      queue.add("a", { priority: 0, after: 1000 });

      expect(workedOff(queue)).to.deep.equal(["a", "other"]);
    });

    it("keeps the highest priority until the time has come", async () => {
      const { queue, clock } = aQueue();
      queue.add("a", { after: 10, priority: -100 });
      queue.add("a", { after: 20, priority: 5 });
      queue.add("b", { after: 10, priority: 0 });

      await clock.advance(10);

      expect(workedOff(queue)).to.deep.equal(["a", "b"]);
    });

    it("holds one timer, for the earliest key", async () => {
      const { queue, clock } = aQueue();
      for (let at = 100; at > 0; at -= 1) queue.add(`key-${at}`, { after: at });

      expect(clock.pending).to.equal(1);
      await clock.advance(50);
      expect(workedOff(queue)).to.have.length(50);
      expect(clock.pending).to.equal(1);
      await clock.advance(50);
      expect(clock.pending).to.equal(0);
    });

    it("hands out keys that become due together in the order of their times", async () => {
      const { queue, clock } = aQueue();
      for (const after of [30, 10, 20]) queue.add(`at-${after}`, { after });
      await clock.advance(30);

      expect(workedOff(queue)).to.deep.equal(["at-10", "at-20", "at-30"]);
    });

    it("waits for longer than a timer of the platform can", async () => {
      const { queue, clock } = aQueue();
      const century = 100 * 365 * 24 * 3600 * 1000;
      queue.add("a", { after: century });

      await clock.advance(century - 1);
      expect(queue.size).to.equal(0);
      await clock.advance(1);
      expect(queue.size).to.equal(1);
    });

    it("does not fire early on the machine's clock for a delay beyond 2^31", async () => {
      const queue = new Queue();
      const other = new Queue(); // with a timer of its own, which is due after the 1 ms that setTimeout makes of such delays
      queue.add("a", { after: 2 ** 31 + 1000 });
      other.add("b", { after: 10 });

      other.done(await other.get(new AbortController().signal));

      expect(queue.size).to.equal(0);
      await Promise.all([queue.drain(), other.drain()]);
    });
  });

  describe("times of day", () => {
    it("hands a key out at its wall time, and not before", async () => {
      const { queue, clock } = aQueue();
      queue.add("a", { at: clock.now() + 1000 });

      await clock.advance(999);
      expect(workedOff(queue)).to.deep.equal([]);
      expect(queue.delayed).to.equal(1);

      await clock.advance(1);
      expect(workedOff(queue)).to.deep.equal(["a"]);
      expect([queue.delayed, clock.pending]).to.deep.equal([0, 0]);
    });

    it("hands a key out at once whose time has passed", () => {
      const { queue, clock } = aQueue();
      queue.add("past", { at: clock.now() - 1 });
      queue.add("now", { at: clock.now(), after: 50 });
      queue.add("none", { at: Number.NaN });

      expect(workedOff(queue)).to.deep.equal(["past", "now", "none"]);
    });

    it("follows a clock that is set forward", async () => {
      const { queue, clock } = aQueue();
      queue.add("tomorrow", { at: clock.now() + 86_400_000 });
      queue.add("in a day", { after: 86_400_000 });

      clock.setNow(clock.now() + 2 * 86_400_000);
      await clock.advance(1000);

      expect(workedOff(queue)).to.deep.equal(["tomorrow"]);
      expect(queue.delayed).to.equal(1);
    });

    it("waits for the new time of a clock that is set back", async () => {
      const { queue, clock } = aQueue();
      queue.add("at", { at: clock.now() + 1000 });
      queue.add("after", { after: 1000 });

      clock.setNow(clock.now() - 60_000);
      await clock.advance(60_999);
      expect(workedOff(queue)).to.deep.equal(["after"]);
      await clock.advance(1);

      expect(workedOff(queue)).to.deep.equal(["at"]);
    });

    it("takes the earlier of a delay and a time, whichever the clocks make it", async () => {
      const { queue, clock } = aQueue();
      const now = clock.now();
      queue.add("both", { after: 1000, at: now + 5000 });
      queue.add("later", { at: now + 1000 });
      queue.add("later", { after: 5000 });

      clock.setNow(now - 60_000);
      await clock.advance(5000);

      expect(workedOff(queue)).to.deep.equal(["both", "later"]);
      expect([queue.delayed, clock.pending]).to.deep.equal([0, 0]);
    });

    it("takes the earliest of several times, and forgets the others", async () => {
      const { queue, clock } = aQueue();
      const now = clock.now();
      for (const at of [1000, 10, 500]) queue.add("a", { at: now + at });

      await clock.advance(10);
      expect(workedOff(queue)).to.deep.equal(["a"]);
      await clock.advance(10_000);

      expect(workedOff(queue)).to.deep.equal([]);
    });

    it("gives way to a key that is added without one, and is forgotten then", () => {
      const { queue, clock } = aQueue();
      queue.add("a", { at: clock.now() + 1000 });
      queue.add("a");

      expect(workedOff(queue)).to.deep.equal(["a"]);
      expect([queue.delayed, clock.pending]).to.deep.equal([0, 0]);
    });

    it("counts for the run after the one in work, also when it comes meanwhile", async () => {
      const { queue, clock } = aQueue();
      for (const key of ["soon", "later"]) queue.add(key);
      for (const delay of [10, 1000]) {
        queue.add(queue.take() ?? "", { at: clock.now() + delay });
      }

      await clock.advance(100);
      queue.done("soon");
      queue.done("later");
      expect(workedOff(queue)).to.deep.equal(["soon"]);
      await clock.advance(900);

      expect(workedOff(queue)).to.deep.equal(["later"]);
    });

    it("hands the key to a worker that waits", async () => {
      const { queue, clock } = aQueue();
      const got = queue.get(never);
      queue.add("a", { at: clock.now() + 10 });

      await clock.advance(10);

      expect(await got).to.equal("a");
    });

    it("keeps the highest priority until the time has come", async () => {
      const { queue, clock } = aQueue();
      const at = clock.now() + 10;
      queue.add("a", { at, priority: -100 });
      queue.add("a", { at: at + 10, priority: 5 });
      queue.add("b", { at });

      await clock.advance(10);

      expect(workedOff(queue)).to.deep.equal(["a", "b"]);
    });

    it("holds one alarm, for the earliest key", async () => {
      const { queue, clock } = aQueue();
      const start = clock.now();
      for (let at = 100; at > 0; at -= 1) queue.add(`key-${at}`, { at: start + at });

      expect(clock.pending).to.equal(1);
      await clock.advance(50);
      expect(workedOff(queue)).to.have.length(50);
      expect(clock.pending).to.equal(1);
      await clock.advance(50);
      expect([workedOff(queue).length, clock.pending]).to.deep.equal([50, 0]);
    });

    it("hands out all that a clock set forward makes due, in the order of their times", async () => {
      const { queue, clock } = aQueue({ ageing: 0 });
      const hour = clock.now() + 3_600_000;
      for (let at = 2_500; at > 0; at -= 1) queue.add(`${at}`, { at: hour + at });

      clock.setNow(hour + 86_400_000);
      await clock.advance(0);

      const expected = Array.from({ length: 2_500 }, (_, at) => `${at + 1}`);
      expect(workedOff(queue)).to.deep.equal(expected);
    });

    it("frees the clock when the queue drains", async () => {
      const { queue, clock } = aQueue();
      queue.add("waits", { at: clock.now() + 10 });
      queue.add("both", { at: clock.now() + 10, after: 20 });
      queue.add("works");
      queue.add(queue.take() ?? "", { at: clock.now() + 10 });
      const drained = queue.drain();

      queue.done("works");
      await drained;

      expect([clock.pending, queue.delayed, queue.size]).to.deep.equal([0, 0, 0]);
    });
  });

  describe("one key at a time", () => {
    it("does not hand out a key in work", () => {
      const { queue } = aQueue();
      queue.add("a");
      queue.take();
      queue.add("a");

      expect(queue.take()).to.equal(undefined);
      expect(queue.working).to.equal(1);
    });

    it("runs a key once more when it was added while in work, however often", () => {
      const { queue } = aQueue();
      queue.add("a");
      queue.take();
      for (let time = 0; time < 3; time += 1) queue.add("a");
      queue.done("a");

      expect(workedOff(queue)).to.deep.equal(["a"]);
    });

    it("counts a delay that was asked for in work from when it was asked for", async () => {
      const { queue, clock } = aQueue();
      queue.add("a");
      queue.take();
      queue.add("a", { after: 100 });
      await clock.advance(60);
      queue.done("a");

      await clock.advance(39);
      expect(queue.size).to.equal(0);
      await clock.advance(1);
      expect(queue.size).to.equal(1);
    });

    it("forgets what it knew of a key that is done", () => {
      const { queue } = aQueue();
      queue.add("a", { priority: 7 });
      queue.take();
      queue.done("a");

      expect(queue.priorityOf("a")).to.equal(undefined);
    });

    it("complains about a key that is not in work", () => {
      const { queue } = aQueue();
      queue.add("a");

      expect(() => queue.done("a")).to.throw("queue queue: a is not in work");
      expect(() => queue.done("b")).to.throw("b is not in work");
    });
  });

  describe("get", () => {
    it("resolves as soon as a key comes", async () => {
      const { queue } = aQueue();
      const got = queue.get(never);
      queue.add("a");

      expect(await got).to.equal("a");
    });

    it("serves workers in the order in which they asked", async () => {
      const { queue } = aQueue();
      const first = queue.get(never);
      const second = queue.get(never);
      for (const key of ["a", "b"]) queue.add(key);

      expect([await first, await second]).to.deep.equal(["a", "b"]);
    });

    it("rejects with the reason of its signal and loses no key", async () => {
      const { queue } = aQueue();
      const abort = new AbortController();
      const got = rejection(queue.get(abort.signal));
      abort.abort(new Error("enough"));
      queue.add("a");

      expect(await got).to.have.property("message", "enough");
      expect(queue.size).to.equal(1);
    });

    it("rejects at once when the signal has aborted", async () => {
      const { queue } = aQueue();
      queue.add("a");

      const thrown = await rejection(queue.get(AbortSignal.abort(new Error("over"))));

      expect(thrown).to.have.property("message", "over");
      expect(queue.size).to.equal(1);
    });
  });

  describe("retry", () => {
    it("doubles the delay from 5 ms to 30 s, per key", () => {
      const { queue } = aQueue();
      const delays = Array.from({ length: 15 }, () => queue.retry("a"));

      expect(delays.slice(0, 4)).to.deep.equal([5, 10, 20, 40]);
      expect(delays.slice(12)).to.deep.equal([20_480, 30_000, 30_000]);
      expect(queue.retry("b")).to.equal(5);
    });

    it("starts over after forget", () => {
      const { queue } = aQueue({ backoff: { min: 1, max: 100, factor: 10 } });
      for (let time = 0; time < 4; time += 1) queue.retry("a");
      expect(queue.retries("a")).to.equal(4);

      queue.forget("a");

      expect(queue.retries("a")).to.equal(0);
      expect(queue.retry("a")).to.equal(1);
    });

    it("keeps the priority of the run that failed", async () => {
      const { queue, clock } = aQueue();
      queue.add("a", { priority: -100 });
      queue.take();
      queue.retry("a");
      queue.done("a");
      await clock.advance(5);
      queue.add("b");

      expect(workedOff(queue)).to.deep.equal(["b", "a"]);
    });

    it("gives way to a change that comes before the delay is over", () => {
      const { queue } = aQueue();
      queue.retry("a");
      queue.add("a");

      expect(workedOff(queue)).to.deep.equal(["a"]);
    });
  });

  describe("ageing", () => {
    for (const { load, perStep, least } of [
      { load: "that takes every worker", perStep: 1, least: 1000 },
      { load: "that is more than the workers can do", perStep: 2, least: 2000 },
    ]) {
      it(`bounds the wait of a low key under a load ${load}`, async () => {
        const { queue, clock } = aQueue({ ageing: 10 });
        queue.add("low", { priority: -100 });
        queue.add("user");

        let served = 0;
        for (; queue.take() !== "low" && served < 5000; served += 1) {
          await clock.advance(1);
          for (let user = 0; user < perStep; user += 1) queue.add(`user-${served}-${user}`);
        }

        // Whoever came within 100 steps x 10 ms went before it, and nobody else.
        expect(served).to.be.within(least, least + 3);
      });
    }

    it("lets what users do now go before what a standby collected for a week", async () => {
      const { queue, clock } = aQueue();
      queue.add("listed", { priority: priorities.initialList });
      queue.add("changed");
      await clock.advance(7 * 24 * 3600 * 1000);

      queue.rebase(priorities.leaderChange);
      queue.add("now");

      expect(workedOff(queue)).to.deep.equal(["now", "changed", "listed"]);
    });
  });

  describe("drain", () => {
    it("resolves once nothing is in work", async () => {
      const { queue } = aQueue();
      for (const key of ["a", "b"]) queue.add(key);
      queue.take();
      queue.take();
      let drained = false;
      const draining = queue.drain().then(() => {
        drained = true;
      });

      queue.done("a");
      await Promise.resolve();
      expect(drained).to.equal(false);

      queue.done("b");
      await draining;
    });

    it("drops what waits, takes no more, and frees its timer", async () => {
      const { queue, clock } = aQueue();
      queue.add("ready");
      queue.add("later", { after: 10 });

      await queue.drain();
      queue.add("late");

      expect([queue.size, queue.delayed, clock.pending]).to.deep.equal([0, 0, 0]);
    });

    it("does not run a key again that was added while in work", async () => {
      const { queue } = aQueue();
      queue.add("a");
      queue.take();
      queue.add("a");
      const draining = queue.drain();
      queue.done("a");

      await draining;
      expect(queue.size).to.equal(0);
    });

    it("sends workers home", async () => {
      const { queue } = aQueue({ name: "tokens" });
      const waiting = rejection(queue.get(never));
      await Promise.all([queue.drain(), queue.drain()]);

      expect(await waiting).to.be.instanceOf(QueueClosed);
      expect(await rejection(queue.get(never))).to.have.property(
        "message",
        "queue tokens is closed",
      );
    });
  });
});

/** Random operations on a queue and on the plainest thing that could have its guarantees; both must hand out the same keys. */

import { expect } from "chai";
import { type FakeClock, fakeClock, type Random, seededRandom } from "../testing/index.ts";
import { type AddOptions, Queue } from "./queue.ts";

const AGEING = 7;

/** When a key may run; the earlier of both counts. */
interface Times {
  /** Monotonic. */
  readonly due: number;
  /** Wall time. */
  readonly at: number;
}

interface Pending extends Times {
  readonly priority: number;
  /** The lower the sooner; undefined until one of its times has come. */
  readonly rank?: number;
}

/** Both clocks. */
interface Instant {
  readonly monotonic: number;
  readonly wall: number;
}

/** Two maps, and a look at everything for every decision. */
class Model {
  readonly pending = new Map<string, Pending>();
  readonly working = new Map<string, Pending | undefined>();

  add(key: string, priority: number, times: Times, now: Instant): void {
    if (this.working.has(key)) {
      this.working.set(key, merged(this.working.get(key), priority, times));
      return;
    }
    const old = this.pending.get(key);
    if (old?.rank === undefined) {
      this.pending.set(key, placed(merged(old, priority, times), now));
      return;
    }
    const rank = Math.min(old.rank, rankOf(now.monotonic, priority));
    if (priority > old.priority) this.pending.set(key, { ...old, priority, rank });
  }

  /** Time passes from `from` on; nobody sets the clock meanwhile. */
  pass(from: Instant, duration: number): void {
    for (const [key, pending] of this.pending) {
      if (pending.rank !== undefined) continue;
      const ready = Math.min(pending.due, from.monotonic + Math.max(0, pending.at - from.wall));
      if (ready > from.monotonic + duration) continue;
      this.pending.set(key, { ...pending, rank: rankOf(ready, pending.priority) });
    }
  }

  /** Keys that may be handed out now: those of the best rank. */
  best(): readonly string[] {
    const ready = [...this.pending].filter(([, { rank }]) => rank !== undefined);
    const best = Math.min(...ready.map(([, { rank }]) => rank ?? Number.NaN));
    return ready.filter(([, { rank }]) => rank === best).map(([key]) => key);
  }

  take(key: string): void {
    this.pending.delete(key);
    this.working.set(key, undefined);
  }

  done(key: string, now: Instant): void {
    const again = this.working.get(key);
    this.working.delete(key);
    if (again !== undefined) this.pending.set(key, placed(again, now));
  }
}

/** No time is now, and so is one that has passed when it is asked for. */
function timesOf({ after, at }: AddOptions, { monotonic, wall }: Instant): Times {
  const never = Number.POSITIVE_INFINITY;
  if (at !== undefined && at <= wall) return { due: monotonic, at: never };
  if (at === undefined) return { due: monotonic + (after ?? 0), at: never };
  return { due: after === undefined ? never : monotonic + after, at };
}

/** Age counts from when the key could be handed out. */
function rankOf(ready: number, priority: number): number {
  return ready - priority * AGEING;
}

function placed(pending: Pending, { monotonic, wall }: Instant): Pending {
  const { due, at, priority } = pending;
  if (due > monotonic && at > wall) return pending;
  return { ...pending, rank: rankOf(monotonic, priority) };
}

function merged(old: Pending | undefined, priority: number, { due, at }: Times): Pending {
  return {
    due: Math.min(old?.due ?? due, due),
    at: Math.min(old?.at ?? at, at),
    priority: Math.max(old?.priority ?? priority, priority),
  };
}

/** A queue and its model, treated alike. */
class Pair {
  readonly #random: Random;
  readonly #clock: FakeClock = fakeClock();
  readonly #queue = new Queue({ clock: this.#clock, ageing: AGEING });
  readonly #model = new Model();

  constructor(random: Random) {
    this.#random = random;
  }

  async step(): Promise<void> {
    const action = this.#random.below(10);
    if (action < 4) this.#add();
    else if (action < 7) this.#take();
    else if (action < 9) this.#done();
    else await this.#pass();
    expect(this.#queue.working).to.equal(this.#model.working.size);
    expect(this.#queue.size + this.#queue.delayed).to.equal(this.#model.pending.size);
  }

  get #now(): Instant {
    return { monotonic: this.#clock.monotonic(), wall: this.#clock.now() };
  }

  /** Lets time pass, after somebody has set the clock now and then. */
  async #pass(): Promise<void> {
    if (this.#random.chance(0.3)) {
      this.#clock.setNow(this.#clock.now() + this.#random.below(400) - 200);
    }
    const duration = this.#random.below(60);
    this.#model.pass(this.#now, duration);
    await this.#clock.advance(duration);
  }

  #add(): void {
    const key = `key-${this.#random.below(30)}`;
    const priority = this.#random.pick([0, 0, -50, -100, 3]);
    const now = this.#now;
    const after = this.#random.chance(0.3) ? this.#random.below(200) : undefined;
    const at = this.#random.chance(0.2) ? now.wall + this.#random.below(220) - 20 : undefined;
    this.#queue.add(key, { priority, after, at });
    this.#model.add(key, priority, timesOf({ after, at }, now), now);
  }

  #take(): void {
    const key = this.#queue.take();
    const best = this.#model.best();
    if (key === undefined) {
      expect(best, "lost").to.deep.equal([]);
      return;
    }
    expect(this.#model.working.has(key), `${key} twice in work`).to.equal(false);
    expect(best, "out of turn").to.include(key);
    this.#model.take(key);
  }

  #done(): void {
    const working = [...this.#model.working.keys()];
    const key = working[this.#random.below(working.length)];
    if (key === undefined) return;
    this.#queue.done(key);
    this.#model.done(key, this.#now);
  }
}

/** Lets callbacks of the event loop run. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("Queue against a model", () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    it(`hands out the keys of a naive queue (seed ${seed})`, async () => {
      const pair = new Pair(seededRandom(seed));

      for (let step = 0; step < 2000; step += 1) await pair.step();
    });
  }
});

/** Workers that check what they are given, and what they saw last of each key. */
class Workers {
  readonly seen = new Map<string, number>();
  readonly wanted = new Map<string, number>();
  readonly queue = new Queue();
  readonly #inWork = new Set<string>();
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  async work(signal: AbortSignal): Promise<void> {
    for (;;) {
      const key = await this.queue.get(signal);
      expect(this.#inWork.has(key), `${key} twice in work`).to.equal(false);
      this.#inWork.add(key);
      const version = this.wanted.get(key) ?? 0;
      if (this.#random.chance(0.3)) await turn();
      this.seen.set(key, version);
      this.#inWork.delete(key);
      this.queue.done(key);
    }
  }

  async add(version: number): Promise<void> {
    const key = `key-${this.#random.below(50)}`;
    this.wanted.set(key, version);
    const after = this.#random.chance(0.1) ? 1 : 0;
    this.queue.add(key, { priority: this.#random.pick([0, -100]), after });
    if (this.#random.chance(0.01)) await turn();
  }

  async idle(): Promise<void> {
    while (this.queue.size + this.queue.delayed + this.queue.working > 0) await turn();
  }
}

describe("Queue with workers", () => {
  for (const seed of [1, 2, 3]) {
    it(`never has a key in work twice and runs every key after its last add (seed ${seed})`, async () => {
      const workers = new Workers(seededRandom(seed));
      const stop = new AbortController();
      const working = Array.from({ length: 5 }, () => workers.work(stop.signal));
      const ended = Promise.allSettled(working);

      for (let version = 1; version <= 10_000; version += 1) await workers.add(version);
      await workers.idle();
      stop.abort(new Error("the end"));

      for (const end of await ended) {
        expect(end).to.have.nested.property("reason.message", "the end");
      }
      expect(Object.fromEntries(workers.seen)).to.deep.equal(Object.fromEntries(workers.wanted));
    });
  }
});

/** Random operations on a queue and on the plainest thing that could have its guarantees; both must hand out the same keys. */

import { expect } from "chai";
import { type FakeClock, fakeClock, type Random, seededRandom } from "../testing/index.ts";
import { Queue } from "./queue.ts";

const AGEING = 7;

interface Pending {
  readonly priority: number;
  readonly due: number;
  /** The lower the sooner, once it is due. */
  readonly rank: number;
}

/** Two maps, and a look at everything for every decision. */
class Model {
  readonly pending = new Map<string, Pending>();
  readonly working = new Map<string, Pending | undefined>();

  add(key: string, priority: number, due: number, now: number): void {
    if (this.working.has(key)) {
      this.working.set(key, merged(this.working.get(key), priority, due));
      return;
    }
    const old = this.pending.get(key);
    if (old === undefined || old.due > now) {
      this.pending.set(key, ranked(merged(old, priority, due), now));
      return;
    }
    const rank = Math.min(old.rank, ranked({ ...old, priority }, now).rank);
    if (priority > old.priority) this.pending.set(key, { priority, due: old.due, rank });
  }

  /** Keys that may be handed out now: those of the best rank. */
  best(now: number): readonly string[] {
    const ready = [...this.pending].filter(([, { due }]) => due <= now);
    const best = Math.min(...ready.map(([, { rank }]) => rank));
    return ready.filter(([, { rank }]) => rank === best).map(([key]) => key);
  }

  take(key: string): void {
    this.pending.delete(key);
    this.working.set(key, undefined);
  }

  done(key: string, now: number): void {
    const again = this.working.get(key);
    this.working.delete(key);
    if (again !== undefined) this.pending.set(key, ranked(again, now));
  }
}

/** Age counts from when the key could be handed out. */
function ranked(pending: Pending, now: number): Pending {
  return { ...pending, rank: Math.max(pending.due, now) - pending.priority * AGEING };
}

function merged(old: Pending | undefined, priority: number, due: number): Pending {
  return {
    due: Math.min(old?.due ?? due, due),
    priority: Math.max(old?.priority ?? priority, priority),
    rank: 0,
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
    else await this.#clock.advance(this.#random.below(60));
    expect(this.#queue.working).to.equal(this.#model.working.size);
    expect(this.#queue.size + this.#queue.delayed).to.equal(this.#model.pending.size);
  }

  #add(): void {
    const key = `key-${this.#random.below(30)}`;
    const priority = this.#random.pick([0, 0, -50, -100, 3]);
    const after = this.#random.chance(0.3) ? this.#random.below(200) : 0;
    const now = this.#clock.monotonic();
    this.#queue.add(key, { priority, after });
    this.#model.add(key, priority, now + after, now);
  }

  #take(): void {
    const key = this.#queue.take();
    const best = this.#model.best(this.#clock.monotonic());
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
    this.#model.done(key, this.#clock.monotonic());
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

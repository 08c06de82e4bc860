/** A work queue of keys: what client-go's workqueue and controller-runtime's priority queue guarantee, in one. */

import { type BackoffOptions, type Clock, exponential, systemClock } from "../base/index.ts";
import type { QueueRecorder } from "../observe/index.ts";
import { Delayed } from "./delayed.ts";
import { type Entry, never } from "./entry.ts";
import { Lanes } from "./lanes.ts";
import { noRecorder, type QueueMetrics } from "./metrics.ts";

/** Priorities that the framework uses; any other number works as well. */
export const priorities = {
  /** Somebody changed something. */
  user: 0,
  /** What waited while another replica was the leader. */
  leaderChange: -50,
  /** The first list, a relist that found nothing new, a resync. */
  initialList: -100,
} as const;

/** Thrown by `get` when the queue drains. */
export class QueueClosed extends Error {
  override readonly name = "QueueClosed";

  constructor(queue: string) {
    super(`queue ${queue} is closed`);
  }
}

/** Options of a queue. */
export interface QueueOptions {
  /** Names the queue in metrics and errors. */
  readonly name?: string;
  readonly clock?: Clock;
  /** Per key; 5 ms doubling to 30 s unless told. */
  readonly backoff?: BackoffOptions;
  readonly metrics?: QueueMetrics;
  /** Milliseconds of waiting that outweigh one step of priority; 1,000 unless told, 0 for arrival order alone. */
  readonly ageing?: number;
}

/** How urgent a key is, and when it may run: at once unless told, at the earlier of both when both are given. */
export interface AddOptions {
  /** 0 unless told. */
  readonly priority?: number;
  /** Milliseconds from now, of any length, whatever happens to the time of day. */
  readonly after?: number | undefined;
  /** Milliseconds of wall time since the epoch; follows the clock when somebody sets it, and counts on while the machine sleeps. */
  readonly at?: number | undefined;
}

/** Options of a retry. */
export interface RetryOptions {
  readonly priority?: number;
  /** Milliseconds; the delay is not shorter, whatever the back-off says. */
  readonly atLeast?: number;
}

const DEFAULT_BACKOFF: BackoffOptions = { min: 5, max: 30_000 };

/** When a run may start; `never` for a clock it does not wait for. */
type Times = Pick<Entry<string>, "due" | "at">;

interface Waiter<K> {
  resolve(key: K): void;
  reject(reason: unknown): void;
}

/**
 * Hands keys to workers. Guarantees:
 *
 * - a key is queued at most once, however often it is added; the highest priority and the earliest time win;
 * - a key is never in work twice: added while in work, it runs once more after `done`;
 * - what is added is handed out, unless the queue drains first;
 * - higher priorities first, equal ones in order of arrival, and nothing starves: see `QueueOptions.ageing`;
 * - one timer at most, one alarm at most for keys with a time of day (`Clock.at`), and none while nothing is delayed.
 *
 * Caveats: it lives in memory only, so a restart must add every key again; a worker that never calls `done` locks its key; priorities are
 * meant to be few, since choosing the next key looks at each of them.
 */
export class Queue<K extends string = string> {
  readonly name: string;
  readonly #clock: Clock;
  readonly #backoff: BackoffOptions;
  readonly #recorder: QueueRecorder;
  readonly #entries = new Map<K, Entry<K>>();
  readonly #ready: Lanes<K>;
  readonly #delayed: Delayed<K>;
  readonly #failures = new Map<K, number>();
  readonly #waiters = new Set<Waiter<K>>();
  #working = 0;
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(options: QueueOptions = {}) {
    this.name = options.name ?? "queue";
    this.#clock = options.clock ?? systemClock;
    this.#backoff = options.backoff ?? DEFAULT_BACKOFF;
    this.#delayed = new Delayed(this.#clock, (entry, now) => this.#offer(entry, now));
    this.#ready = new Lanes(options.ageing ?? 1_000);
    this.#recorder =
      options.metrics?.queue(this.name, {
        depths: () => this.#ready.depths(),
        unfinishedWork: () => this.#timeInWork((sum, time) => sum + time),
        longestRunning: () => this.#timeInWork(Math.max),
      }) ?? noRecorder;
  }

  /** Keys that wait for a worker; those delayed or in work are not counted. */
  get size(): number {
    return this.#ready.size;
  }

  /** Keys whose time has not come. */
  get delayed(): number {
    return this.#entries.size - this.#ready.size - this.#working;
  }

  /** Keys in work. */
  get working(): number {
    return this.#working;
  }

  /** Queues the key, or makes it more urgent when it is queued already. Ignored once the queue drains. */
  add(key: K, { priority = priorities.user, after, at }: AddOptions = {}): void {
    if (this.#drained !== undefined) return;
    const now = this.#clock.monotonic();
    const times =
      at === undefined ? { due: later(now, after), at: never } : this.#times(now, after, at);
    const entry = this.#entries.get(key);
    if (entry === undefined) this.#insert(key, priority, times, now);
    else if (entry.lane === undefined) this.#merge(entry, priority, times, now);
    else if (priority > entry.priority) this.#ready.raise(entry, priority, now);
  }

  /**
   * The next key, now in work until `done`. Rejects with the signal's reason, or with QueueClosed once the queue drains. A key that was
   * handed over just before the signal aborts still has to be marked `done`.
   */
  get(signal: AbortSignal): Promise<K> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#drained !== undefined) return Promise.reject(new QueueClosed(this.name));
    const key = this.take();
    return key === undefined ? this.#wait(signal) : Promise.resolve(key);
  }

  /** As `get`, but undefined when no key waits. */
  take(): K | undefined {
    const entry = this.#ready.take();
    if (entry === undefined) return undefined;
    const now = this.#clock.monotonic();
    this.#recorder.started(now - entry.due);
    this.#working += 1;
    entry.started = now;
    entry.running = entry.priority;
    entry.due = never;
    return entry.key;
  }

  /** The work on the key has ended; when it was added meanwhile it is queued again. Throws for a key that is not in work. */
  done(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.started === never) {
      throw new Error(`queue ${this.name}: ${key} is not in work`);
    }
    const now = this.#clock.monotonic();
    this.#recorder.finished(now - entry.started);
    this.#working -= 1;
    entry.started = never;
    if (!isPending(entry) || this.#drained !== undefined) this.#entries.delete(key);
    else this.#place(entry, now);
    if (this.#working === 0) this.#drained?.resolve();
  }

  /**
   * Adds the key after its back-off, which doubles with each call until `forget`; returns the delay. Keeps the priority of the run in work
   * unless told.
   */
  retry(key: K, { priority, atLeast = 0 }: RetryOptions = {}): number {
    const attempt = this.#failures.get(key) ?? 0;
    this.#failures.set(key, attempt + 1);
    const after = Math.max(atLeast, exponential(attempt, this.#backoff));
    this.#recorder.retried();
    this.add(key, { priority: priority ?? this.priorityOf(key) ?? priorities.user, after });
    return after;
  }

  /** The key's back-off starts over. Also lets go of the memory for a key that failed; call it when its object is gone. */
  forget(key: K): void {
    this.#failures.delete(key);
  }

  /** Calls of `retry` since the last `forget`. */
  retries(key: K): number {
    return this.#failures.get(key) ?? 0;
  }

  /** Priority of the run in work, else of the pending one; undefined for a key that is neither. */
  priorityOf(key: K): number | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined || entry.started === never ? entry?.priority : entry.running;
  }

  /**
   * Whatever waits counts as just come, at `priority` at most. For a queue that filled up before it had workers: otherwise its age would put
   * everything in it before what users do now.
   */
  rebase(priority: number): void {
    const now = this.#clock.monotonic();
    for (const entry of this.#ready.clear()) {
      entry.priority = Math.min(entry.priority, priority);
      this.#ready.push(entry, now);
    }
  }

  /** Takes no more keys, drops those that wait, and resolves when nothing is in work. */
  drain(): Promise<void> {
    if (this.#drained !== undefined) return this.#drained.promise;
    this.#drained = Promise.withResolvers<void>();
    for (const entry of this.#ready.clear()) this.#entries.delete(entry.key);
    for (const entry of this.#entries.values()) {
      if (entry.started !== never) continue;
      this.#delayed.remove(entry);
      this.#entries.delete(entry.key);
    }
    this.#failures.clear();
    for (const waiter of this.#waiters) waiter.reject(new QueueClosed(this.name));
    this.#waiters.clear();
    if (this.#working === 0) this.#drained.resolve();
    return this.#drained.promise.then(() => this.#recorder.closed());
  }

  /** When an entry with a time of day may start. */
  #times(now: number, after: number | undefined, at: number): Times {
    if (!(at > this.#clock.now())) return { due: now, at: never };
    return { due: after === undefined ? never : later(now, after), at };
  }

  #insert(key: K, priority: number, { due, at }: Times, now: number): void {
    const entry: Entry<K> = {
      key,
      priority,
      due,
      at,
      appointment: undefined,
      slot: -1,
      lane: undefined,
      started: never,
      running: 0,
    };
    this.#entries.set(key, entry);
    this.#recorder.added();
    this.#place(entry, now);
  }

  /** For an entry that is delayed or in work. */
  #merge(entry: Entry<K>, priority: number, { due, at }: Times, now: number): void {
    const pending = isPending(entry);
    if (!pending) this.#recorder.added();
    entry.priority = pending ? Math.max(entry.priority, priority) : priority;
    if (due >= entry.due && at >= entry.at) return;
    const waits = entry.started === never;
    if (waits) this.#delayed.remove(entry);
    entry.due = Math.min(entry.due, due);
    entry.at = Math.min(entry.at, at);
    if (waits) this.#place(entry, now);
  }

  /** Queues an entry that is in no structure, at the earlier of its times. */
  #place(entry: Entry<K>, now: number): void {
    if (this.#delayed.isDue(entry, now)) this.#offer(entry, now);
    else this.#delayed.push(entry);
  }

  /** The entry's time has come: to a worker that waits, else into its lane. */
  #offer(entry: Entry<K>, now: number): void {
    entry.at = never;
    this.#ready.push(entry, now);
    for (const waiter of this.#waiters) {
      const key = this.take();
      if (key === undefined) return;
      this.#waiters.delete(waiter);
      waiter.resolve(key);
    }
  }

  #wait(signal: AbortSignal): Promise<K> {
    return new Promise<K>((resolve, reject) => {
      const settled = (): void => signal.removeEventListener("abort", onAbort);
      const waiter: Waiter<K> = {
        resolve: (key) => {
          settled();
          resolve(key);
        },
        reject: (reason) => {
          settled();
          reject(reason);
        },
      };
      const onAbort = (): void => {
        this.#waiters.delete(waiter);
        reject(signal.reason);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiters.add(waiter);
    });
  }

  #timeInWork(combine: (sum: number, time: number) => number): number {
    const now = this.#clock.monotonic();
    let sum = 0;
    if (this.#working === 0) return sum;
    for (const { started } of this.#entries.values()) {
      if (started !== never) sum = combine(sum, now - started);
    }
    return sum;
  }
}

/** Whether the entry is to run, again when it is in work. */
function isPending({ due, at }: Times): boolean {
  return due !== never || at !== never;
}

/** `now` for a delay that is none, or that is no number. */
function later(now: number, delay = 0): number {
  return delay > 0 ? now + delay : now;
}

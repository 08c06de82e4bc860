/** Takes keys from a queue, runs them, and decides when they run again. */

import { never, RecentWarnings, type Timer } from "../base/index.ts";
import type { KubeObject } from "../kube/index.ts";
import type { ControllerMetrics } from "../observe/index.ts";
import type { Queue } from "../queue/index.ts";
import type { KeySink } from "./feed.ts";
import { Pace } from "./pace.ts";
import { reconcileKey, type Surroundings } from "./reconcile-key.ts";
import { Run, type RunEnvironment } from "./run.ts";
import { accept, judge, type Verdict } from "./verdict.ts";

/** Milliseconds that an aborted run gets before it is reported. */
const GRACE = 5_000;
/** Milliseconds that a key waits for the caches to show what its run wrote. */
const CONSISTENCY = 5_000;
const TIMEOUT = 60_000;

/** What workers work with. */
export interface WorkersOptions<T extends KubeObject> {
  readonly queue: Queue;
  readonly surroundings: Surroundings<T>;
  readonly environment: RunEnvironment;
  readonly metrics: ControllerMetrics | undefined;
}

/** The keys in work of one controller. */
export class Workers<T extends KubeObject> implements KeySink {
  readonly #queue: Queue;
  readonly #surroundings: Surroundings<T>;
  readonly #environment: RunEnvironment;
  readonly #metrics: ControllerMetrics | undefined;
  readonly #timeout: number;
  readonly #pace: Pace;
  readonly #runs = new Map<string, Run>();
  /** Conflicts in a row, per key. */
  readonly #conflicts = new Map<string, number>();
  /** Troubles of many keys that were told for one of them. */
  readonly #warnings: RecentWarnings;
  /** Aborts when nobody will run a key again, so that nothing has to be waited for. */
  readonly #closing = new AbortController();
  #stopped = false;

  constructor({ queue, surroundings, environment, metrics }: WorkersOptions<T>) {
    this.#queue = queue;
    this.#surroundings = surroundings;
    this.#environment = environment;
    this.#metrics = metrics;
    this.#timeout = surroundings.controller.timeout ?? TIMEOUT;
    this.#pace = new Pace(environment.clock);
    this.#warnings = new RecentWarnings(environment.clock);
  }

  /** Queues the key; for a key in work, the end of its run decides. */
  changed(key: string, priority: number, version: string | undefined): void {
    const run = this.#runs.get(key);
    if (run === undefined) this.#queue.add(key, { priority });
    else run.changed(version, priority);
  }

  /** Another object of that name would start afresh. */
  deleted(key: string): void {
    this.#queue.forget(key);
    this.#conflicts.delete(key);
    this.#surroundings.finalized.delete(key);
    if (this.#surroundings.controller.gone !== undefined) this.#surroundings.deleted.add(key);
  }

  /** One worker: takes keys until the queue closes, and resolves when its last run has ended. */
  async work(): Promise<void> {
    for (;;) {
      while (!this.#pace.hasRoom) await this.#pace.rest();
      const key = this.#queue.take() ?? (await this.#queue.get(never).catch(() => undefined));
      if (key === undefined) return;
      while (!this.#pace.hasRoom) await this.#pace.rest(); // many keys may come at once, to workers that all wait
      if (this.#closing.signal.aborted) return this.#queue.done(key);
      const turn = this.#pace.begin();
      await this.#process(key);
      this.#pace.end(turn);
    }
  }

  /** Nothing will run again: nobody waits for caches any more. */
  close(): void {
    this.#closing.abort();
  }

  /** As close, and every run is told to end now. */
  stop(reason: unknown): void {
    this.#stopped = true;
    this.close();
    for (const run of this.#runs.values()) run.abort(reason);
  }

  async #process(key: string): Promise<void> {
    const run = new Run(this.#environment, key);
    this.#runs.set(key, run);
    this.#metrics?.started();
    const watchdog = this.#watch(run);
    const verdict = await this.#attempt(run);
    watchdog.cancel();
    this.#metrics?.finished(verdict.outcome, this.#environment.clock.monotonic() - run.started);
    this.#tell(run, verdict);
    this.#schedule(run, verdict);
    if (run.writes === undefined || run.writes.settled) this.#end(run, verdict);
    else void this.#settle(run, verdict);
  }

  async #attempt(run: Run): Promise<Verdict> {
    try {
      return accept(await reconcileKey(this.#surroundings, run));
    } catch (thrown) {
      const { kind, home } = this.#environment;
      const conflicts = this.#conflicts.get(run.key) ?? 0;
      return judge(thrown, {
        kind,
        conflicts,
        key: run.key,
        server: home.client.server,
        stopped: this.#stopped,
        late: run.late,
      });
    }
  }

  /** Aborts the run when its time is over, and reports one that does not care. */
  #watch(run: Run): Timer {
    const { clock } = this.#environment;
    let timer = clock.after(this.#timeout, () => {
      run.expire(new Error(`reconcile took longer than ${this.#timeout} ms`));
      timer = clock.after(GRACE, () => {
        const running = Math.round(clock.monotonic() - run.started);
        run.context.log.error("reconcile ignores its signal; its key stays locked until it ends", {
          running,
        });
      });
    });
    return { cancel: () => timer.cancel() };
  }

  #tell({ context }: Run, { told, again }: Verdict): void {
    if (told === undefined) return;
    const { message, error, hint, shared } = told;
    const level = shared !== undefined && this.#warnings.repeats(shared) ? "debug" : told.level;
    context.log[level](message, {
      error: error instanceof Error ? error : String(error),
      ...(typeof again === "number" && { retryIn: again }),
      ...(hint !== undefined && { hint }),
      ...(shared !== undefined && level !== "debug" && { others: "at debug level for 5 minutes" }),
    });
  }

  #schedule({ key }: Run, verdict: Verdict): void {
    const { again, at, atLeast = 0, atMost, priority, conflict = false } = verdict;
    if (conflict) this.#conflicts.set(key, (this.#conflicts.get(key) ?? 0) + 1);
    else this.#conflicts.delete(key);
    const urgency = priority ?? this.#queue.priorityOf(key) ?? 0;
    if (again === "backoff") {
      this.#queue.retry(key, { priority: urgency, atLeast });
      if (atMost !== undefined) this.#queue.add(key, { priority: urgency, after: atMost });
    } else {
      if (!conflict) this.#queue.forget(key);
      if (again === undefined && at === undefined) return;
      this.#queue.add(key, { priority: urgency, after: again, at });
    }
  }

  /** Keeps the key locked, but no worker, until its next run would see what this one wrote. */
  async #settle(run: Run, verdict: Verdict): Promise<void> {
    const { clock } = this.#environment;
    const signal = this.#closing.signal;
    const settled = await run.writes?.settle({ clock, timeout: CONSISTENCY, signal });
    if (settled === false && !signal.aborted) {
      run.context.log.warn("the cache does not show an own write; going on without", {
        waited: CONSISTENCY,
      });
    }
    this.#end(run, verdict);
  }

  /** Unlocks the key. After a failure its own writes are no news: they must not cut the back-off short. */
  #end(run: Run, { outcome }: Verdict): void {
    const { key } = run;
    const failed = outcome === "error" || outcome === "terminal";
    const priority = run.changedMeanwhile(!failed);
    if (priority !== undefined) this.#queue.add(key, { priority });
    this.#runs.delete(key);
    this.#queue.done(key);
  }
}

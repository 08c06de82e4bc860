import { type Clock, type Logger, never } from "../base/index.ts";
import type { Missing } from "../control/index.ts";
import { LinkedAbort, within } from "./within.ts";

/** What a crew asks of one of its members. */
export interface Runner {
  /** Resolves when its caches are synced and its queue is filled; nothing is reconciled yet. */
  warm(signal: AbortSignal): Promise<void>;
  /** Works until the signal aborts. */
  start(signal: AbortSignal): Promise<void>;
  /** Begins nothing new; resolves when nothing is in work. */
  drain(): Promise<void>;
  /** What its caches wait for. */
  readonly missing?: readonly Missing[];
}

/** A controller or a task of a crew. */
export interface Member {
  /** For the log. */
  readonly name: string;
  readonly runner: Runner;
}

/** What a crew works with. */
export interface CrewOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Milliseconds that work gets to end by itself. */
  readonly drainTimeout: number;
  /** Milliseconds that aborted work then gets to notice; 2,000 unless told. */
  readonly grace?: number;
}

/** Controllers and tasks that start and stop together. */
export class Crew {
  readonly #members: readonly Member[];
  readonly #options: CrewOptions;
  #running: readonly Promise<void>[] = [];
  #stop: LinkedAbort | undefined;
  #drained: Promise<void> | undefined;

  constructor(members: readonly Member[], options: CrewOptions) {
    this.#members = members;
    this.#options = options;
  }

  /** What the members' caches of the hub wait for, by resource. */
  get missingOfHub(): ReadonlyMap<string, string> {
    const missing = this.#members.flatMap(({ runner }) => runner.missing ?? []);
    const ofHub = missing.filter(({ hub }) => hub === true);
    return new Map(ofHub.map(({ resource, reason }) => [resource, reason]));
  }

  /** Resolves when every cache is synced and every queue is filled; nothing is reconciled yet. */
  async warm(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#members.map(({ runner }) => runner.warm(signal)));
  }

  /**
   * Lets all work. When `signal` aborts they stop at once, without draining. Resolves when all have ended; rejects when one fails.
   */
  async work(signal: AbortSignal): Promise<void> {
    this.#stop = new LinkedAbort(signal);
    const { signal: stop } = this.#stop;
    this.#running = this.#members.map(({ runner }) => runner.start(stop));
    await Promise.all(this.#running);
  }

  /** As `work` until `drain`, but each controller starts as soon as its own caches are synced; `onWarm` is called when all are. */
  async workWhenWarm(onWarm: () => void): Promise<void> {
    this.#stop = new LinkedAbort(never);
    const { signal: stop } = this.#stop;
    let cold = this.#members.length;
    if (cold === 0) onWarm();
    this.#running = this.#members.map(async ({ runner }) => {
      await runner.warm(stop);
      if (--cold === 0) onWarm();
      await runner.start(stop);
    });
    await Promise.all(this.#running);
  }

  /**
   * Begins nothing new and lets what is in work end; what takes longer than the limit (ms) is aborted, and left behind when it does not care.
   * Also gives back what was only warmed. Never rejects.
   */
  drain(limit: number = this.#options.drainTimeout): Promise<void> {
    this.#drained ??= this.#drain(limit);
    return this.#drained;
  }

  async #drain(limit: number): Promise<void> {
    const { clock, log, grace = 2000 } = this.#options;
    const draining = this.#told(this.#members.map(({ runner }) => runner.drain()));
    if (!(await within(clock, limit, draining.ended))) {
      log.warn("aborting what did not end in time", { limit, unfinished: draining.unfinished() });
    }
    this.#stop?.abort(new DOMException("the operator stops", "AbortError"));
    this.#stop?.[Symbol.dispose]();
    const running = this.#told(this.#running);
    if (!(await within(clock, grace, running.ended))) {
      log.error("leaving behind what ignores its signal", { unfinished: running.unfinished() });
    }
  }

  /** When promises of all members have settled, and whose have not. */
  #told(promises: readonly Promise<void>[]): {
    readonly ended: Promise<unknown>;
    readonly unfinished: () => readonly string[];
  } {
    const open = new Set(this.#members.slice(0, promises.length).map(({ name }) => name));
    const ended = promises.map((promise, index) => {
      const settled = (): void => void open.delete(this.#members[index]?.name ?? "");
      return promise.then(settled, settled);
    });
    return { ended: Promise.all(ended), unfinished: () => [...open] };
  }
}

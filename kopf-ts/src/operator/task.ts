import { type Clock, exponential, type Logger } from "../base/index.ts";
import type { Client } from "../kube/index.ts";
import type { Runner } from "./crew.ts";
import { LinkedAbort } from "./within.ts";

/** What a task gets. */
export interface TaskContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborts when the operator stops, or no longer leads. */
  readonly signal: AbortSignal;
}

/** Something to do besides reconciling: once, or for as long as the operator runs. */
export interface Task {
  readonly name: string;
  /** `leader` (unless told): once this process leads, with writes fenced by the lease; `everywhere`: on each replica. */
  readonly on?: "leader" | "everywhere";
  /**
   * Begun again when it rejects, after 1 s up to 30 s; what it did before must do no harm twice. When its signal aborts it may take as long as
   * reconciliations get to drain; until then no successor leads.
   */
  run(context: TaskContext): Promise<void>;
}

const backoff = { min: 1000, max: 30_000 };

/** Runs a task until it resolves or its signal aborts; never rejects. */
export async function runTask(task: Task, context: TaskContext): Promise<void> {
  const { clock, signal } = context;
  const log = context.log.child({ task: task.name });
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      return await task.run({ ...context, log });
    } catch (error) {
      if (signal.aborted) return;
      log.error("task failed, trying again", { error });
    }
    await clock.sleep(exponential(attempt, backoff), signal).catch(() => undefined);
  }
}

/** A task as a member of a crew. Draining it aborts its signal and waits for its end. */
export class TaskRunner implements Runner {
  readonly #task: Task;
  readonly #context: Omit<TaskContext, "signal">;
  #stop: LinkedAbort | undefined;
  #running: Promise<void> | undefined;

  constructor(task: Task, context: Omit<TaskContext, "signal">) {
    this.#task = task;
    this.#context = context;
  }

  /** A task has no caches to wait for. */
  warm(): Promise<void> {
    return Promise.resolve();
  }

  start(signal: AbortSignal): Promise<void> {
    this.#stop = new LinkedAbort(signal);
    this.#running = this.#run(this.#stop);
    return this.#running;
  }

  async drain(): Promise<void> {
    this.#stop?.abort(new DOMException("the operator stops", "AbortError"));
    await this.#running;
  }

  async #run(stop: LinkedAbort): Promise<void> {
    using _ = stop;
    await runTask(this.#task, { ...this.#context, signal: stop.signal });
  }
}

import { type Clock, exponential, type Logger } from "../base/index.ts";
import type { Client } from "../kube/index.ts";

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
  /** Begun again when it rejects, after 1 s up to 30 s; what it did before must do no harm twice. */
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

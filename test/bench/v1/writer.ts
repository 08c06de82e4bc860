/** The process that changes Pods while others are measured. */

import { join } from "node:path";
import { Subject } from "../process.ts";
import type { Change } from "./delays.ts";
import type { Field } from "./field.ts";

/** What was asked for: changes per second, and for how many milliseconds. */
export interface Pace {
  readonly perSecond: number;
  readonly time: number;
}

/** What was done. */
export interface Applied {
  /** In the order of their revisions. */
  readonly changes: readonly Change[];
  /** The rate that was reached. */
  readonly perSecond: number;
}

/** Changes Pods of a field, one after the other, each once before any twice. */
export class Writer implements AsyncDisposable {
  readonly #subject: Subject;

  constructor({ plane, n }: Field) {
    const argv = [process.execPath, join(import.meta.dirname, "../subjects/writer.js")];
    const env = { KUBECONFIG: plane.kubeconfigPath, BENCH_N: String(n) };
    this.#subject = new Subject("writer", { argv, env });
  }

  /** Rejects when no change could be made. */
  async apply(pace: Pace): Promise<Applied> {
    this.#subject.tell(JSON.stringify(pace));
    const { changes, perSecond } = await this.#subject.event("applied", pace.time * 3 + 60_000);
    if (!Array.isArray(changes) || changes.length === 0) throw new Error("nothing was changed");
    return { changes, perSecond: Number(perSecond) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#subject[Symbol.asyncDispose]();
  }
}

/** The revision that the last change made. */
export function lastRevision({ changes }: Applied): number {
  return changes.at(-1)?.[0] ?? 0;
}

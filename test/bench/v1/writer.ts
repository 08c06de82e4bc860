/** The process that changes Pods while others are measured. */

import { join } from "node:path";
import { Subject } from "../process.ts";
import { type Applied, appliedBy, type Changes, type Pace } from "./changes.ts";
import type { Field } from "./field.ts";

/** Changes Pods of a field, one after the other, each once before any twice. */
export class Writer implements AsyncDisposable, Changes {
  readonly #subject: Subject;

  constructor({ plane, n }: Field) {
    const argv = [process.execPath, join(import.meta.dirname, "../subjects/writer.js")];
    const env = { KUBECONFIG: plane.kubeconfigPath, BENCH_N: String(n) };
    this.#subject = new Subject("writer", { argv, env });
  }

  /** Rejects when no change could be made. */
  async apply(pace: Pace): Promise<Applied> {
    this.#subject.tell(JSON.stringify(pace));
    return appliedBy(await this.#subject.event("applied", pace.time * 3 + 60_000));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#subject[Symbol.asyncDispose]();
  }
}

/** Bodies of many values, off the event loop. */

import type { Clock } from "kopf-ts";
import { checkJson, manyValues } from "../../body.ts";
import { Threads } from "../../threads.ts";
import { Problem } from "../problem.ts";
import { type Rework, type Reworked, rework } from "./rework.ts";
import type { Told } from "./worker.ts";

const worker = new URL("./worker.js", import.meta.url);

/** Reworks bodies: what has many values in a thread of its own, since 250,000 take half a second to read and write; all others at once. */
export class Reworker {
  readonly #threads: Threads;

  constructor(clock: Pick<Clock, "after">) {
    this.#threads = new Threads(clock);
  }

  /** As `rework`; rejects with the signal's reason. */
  async rework(task: Rework, json: Buffer, signal: AbortSignal): Promise<Reworked> {
    if (checkJson(json) <= manyValues) return rework(task, json);
    const told = (await this.#threads.run(worker, { task, json }, signal)) as Told | undefined;
    const refusal = told ?? { why: "it takes too much memory or time" };
    if ("body" in refusal) return refusal;
    if ("why" in refusal) {
      const message = `Failed to parse body: ${refusal.why}`;
      throw new Problem(422, "InvalidBodyContent", message, "body");
    }
    const { status, code, message, fieldName } = refusal;
    throw new Problem(status, code, message, fieldName);
  }
}

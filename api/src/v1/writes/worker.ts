/** The thread that reworks one body. It ends when it has said what became of it. */

import { parentPort, workerData } from "node:worker_threads";
import { Problem } from "../problem.ts";
import { type Rework, type Reworked, rework } from "./rework.ts";

/** What the thread says: what became of the body, or why it was refused. */
export type Told = Reworked | Pick<Problem, "status" | "code" | "message" | "fieldName">;

/** What it is told. */
interface Job {
  readonly task: Rework;
  readonly json: Uint8Array;
}

parentPort?.postMessage(told(workerData as Job));

function told({ task, json }: Job): Told {
  try {
    return rework(task, Buffer.from(json.buffer, json.byteOffset, json.byteLength));
  } catch (thrown) {
    if (!(thrown instanceof Problem)) throw thrown;
    const { status, code, message, fieldName } = thrown;
    return { status, code, message, fieldName };
  }
}

/** What every subject written in TypeScript tells the harness, and how. */

import { createHash } from "node:crypto";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createInterface } from "node:readline";

const delay = monitorEventLoopDelay({ resolution: 5 });

/** Prints one event for the harness. */
export function emit(event: string, fields: Readonly<Record<string, unknown>> = {}): void {
  process.stdout.write(`${JSON.stringify({ event, ...fields })}\n`);
}

/** Longest stall of the event loop since `resetStall`, in milliseconds. */
export function longestStall(): number {
  return delay.max / 1e6;
}

/** Starts a new measurement of stalls, which takes 8 ms of CPU in a second. */
export function resetStall(): void {
  delay.enable();
  delay.reset();
}

/** Answers "digest" lines with the SHA-256 over the sorted `namespace/name/resourceVersion` lines; others go to `other`. */
export function answer(lines: () => readonly string[], other?: (line: string) => void): void {
  createInterface({ input: process.stdin }).on("line", (line) => {
    if (line !== "digest") return other?.(line);
    const sorted = lines().toSorted((a, b) => (a < b ? -1 : 1));
    const sum = createHash("sha256");
    for (const each of sorted) sum.update(`${each}\n`);
    emit("digest", { digest: sum.digest("hex"), objects: sorted.length });
  });
}

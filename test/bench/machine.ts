/** How fast the machine is just then: others may share its processors. */

import { createHash } from "node:crypto";
import type { Figures } from "./stats.ts";

/** What is hashed each time, in bytes: within the processor's own cache. */
const length = 512 * 1024;
/** How often, each time one looks; a tenth of a second in all. */
const times = 400;

/** Milliseconds that each of some hundred times took to hash the same bytes, which takes a processor that is nobody else's equally long each time. */
export function paces(): readonly number[] {
  const bytes = Buffer.alloc(length);
  return Array.from({ length: times }, () => {
    const begin = performance.now();
    createHash("sha256").update(bytes).digest();
    return performance.now() - begin;
  });
}

/** The figures of a turn: what the fastest took, and the slowest tenth at least. */
export function machineOf(all: readonly number[]): Figures {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * sorted.length)] ?? 0;
  return { machine_best_ms: at(0), machine_p90_ms: at(0.9) };
}

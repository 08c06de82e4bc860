/**
 * Many observers of Pods in one process: subscribers of a /v1, or watches of the API server. It tells "watching" once all of them are. Asked with a line
 * of changes, it waits until everybody has been told of them, and tells "seen" with the delays, and how many subscriptions were ended meanwhile.
 */

import { createInterface } from "node:readline";
import { type Arrival, type Change, delays, type Match } from "../v1/delays.ts";
import { type Observing, subscribe, watch } from "../v1/observe.ts";
import { emit } from "./protocol.ts";

const { BENCH_OBSERVING: text = "{}" } = process.env;
const observing: Observing = JSON.parse(text);
const { count, mode } = observing;
const observe = mode === "watch" ? watch : subscribe;
const match: Match = mode === "resource.changes" ? "later" : "exact";

/** Milliseconds to wait for what does not come. */
const patience = 15_000;
/** How many begin at once. */
const atOnce = 20;

const arrivals: Arrival[][] = Array.from({ length: count }, () => []);
let ended = 0;

async function begin(): Promise<void> {
  for (let first = 0; first < count; first += atOnce) {
    const group = arrivals.slice(first, first + atOnce);
    await Promise.all(
      group.map((seen) =>
        observe(observing, {
          told: (revision, at) => void seen.push([revision, at]),
          ended: () => void ended++,
        }),
      ),
    );
  }
  emit("watching");
}

async function report(changes: readonly Change[]): Promise<void> {
  const last = changes.at(-1)?.[0] ?? 0;
  const deadline = performance.now() + patience;
  const isBehind = (seen: readonly Arrival[]): boolean => (seen.at(-1)?.[0] ?? 0) < last;
  while (arrivals.some(isBehind) && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 50)); // until it is looked again; messages are read meanwhile
  emit("seen", { delays: delays(changes, arrivals, match), ended });
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exit(1);
}

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => void report(JSON.parse(line)).catch(fail));
lines.on("close", () => process.exit(0)); // the harness has ended
process.once("SIGTERM", () => process.exit(0));
begin().catch(fail);

/**
 * Changes Pods at a rate, from a process of its own so that nobody's load is disturbed by it. Asked with a line `{"perSecond", "time"}`, it tells
 * "applied" with the changes, each its revision and when the answer came (monotonic milliseconds), and the rate that was reached: the API server may
 * be too slow for what was asked.
 */

import { createInterface } from "node:readline";
import { connect, loadConfig } from "kopf-ts";
import { nameOf, namespaceOf } from "../pods.ts";
import type { Change } from "../v1/delays.ts";
import { monotonic, reached } from "../v1/monotonic.ts";
import { countWithin, due, objectOf } from "../v1/schedule.ts";
import { emit } from "./protocol.ts";

const { KUBECONFIG: kubeconfig, BENCH_N: size = "" } = process.env;
const n = Number(size);
/** Writes under way at once. */
const writers = 16;
const headers = { "Content-Type": "application/merge-patch+json" };

const client = connect(await loadConfig({ kubeconfig }));
let changes = 0;

async function change(): Promise<Change> {
  const index = changes++;
  const pod = objectOf(index, n);
  const annotations = { "bench/change": `${process.pid}-${index}` };
  const { body } = await client.request({
    method: "PATCH",
    path: `/api/v1/namespaces/${namespaceOf(pod)}/pods/${nameOf(pod)}`,
    headers,
    body: JSON.stringify({ metadata: { annotations } }),
  });
  const answered = monotonic();
  return [Number(/"resourceVersion":"(\d+)"/.exec(body.toString())?.[1]), answered];
}

async function apply(perSecond: number, time: number): Promise<void> {
  const count = countWithin(time, perSecond);
  const begin = monotonic();
  const done: Change[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const moment = begin + due(index, perSecond);
      if (monotonic() - moment > time) return; // far behind: what was asked cannot be had
      await reached(moment);
      done.push(await change());
    }
  };
  await Promise.all(Array.from({ length: writers }, worker));
  const wall = Math.max(time, monotonic() - begin);
  emit("applied", {
    changes: done.toSorted(([a], [b]) => a - b),
    perSecond: (done.length * 1000) / wall,
  });
}

const lines = createInterface({ input: process.stdin });
lines.on("close", () => process.exit(0)); // the harness has ended
lines.on("line", (line) => {
  const { perSecond, time } = JSON.parse(line);
  apply(perSecond, time).catch((error: unknown) => {
    process.stderr.write(`${error}\n`);
    process.exit(1);
  });
});
process.once("SIGTERM", () => process.exit(0));
emit("ready");

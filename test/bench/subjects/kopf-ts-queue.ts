/** kopf-ts: adds N keys, takes each and marks it done, as controller-runtime's BenchmarkAddGetDone; with its metrics, as the peer. */

import { Metrics, Queue } from "kopf-ts";
import { emit } from "./protocol.ts";

const n = Number(process.env.BENCH_N);
const keys = Array.from({ length: n }, (_, index) => `team-${index % 5000}/app-${index}`);
const { signal } = new AbortController();
const metrics = new Metrics();
const queue = new Queue({ name: "bench", metrics });

const start = performance.now();
for (const key of keys) queue.add(key);
for (const _ of keys) queue.done(await queue.get(signal));
const seconds = (performance.now() - start) / 1000;

const adds = new RegExp(`^workqueue_adds_total\\{.*\\} ${n}$`, "m");
if (!adds.test(await metrics.text())) throw new Error("the metrics did not count every key");
emit("done", { seconds, n });
process.stdin.resume(); // the harness reads what this cost before it ends it

/** kopf-ts: adds N keys, takes each and marks it done, as controller-runtime's BenchmarkAddGetDone. */

import { Queue } from "kopf-ts";
import { emit } from "./protocol.ts";

const n = Number(process.env.BENCH_N);
const keys = Array.from({ length: n }, (_, index) => `team-${index % 5000}/app-${index}`);
const { signal } = new AbortController();
const queue = new Queue();

const start = performance.now();
for (const key of keys) queue.add(key);
for (const _ of keys) queue.done(await queue.get(signal));
emit("done", { seconds: (performance.now() - start) / 1000, n });

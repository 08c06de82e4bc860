/** The API alone, without operators, on HTTPS, as Steve stands alone: callers are who their Impersonate-* headers say. */

import { fstatSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Api, listen, pipeline, tuneV8 } from "@drover/api";
import { Setting } from "@drover/crds";
import { liveSettings, parseFeatures } from "@drover/platform";
import {
  connect,
  createLogger,
  HealthChecks,
  Informers,
  loadConfig,
  Metrics,
  systemClock,
} from "kopf-ts";
import { emit, longestStall, resetStall } from "./protocol.ts";

tuneV8(); // as the executable does
const { KUBECONFIG: kubeconfig, BENCH_CERT: cert = "", BENCH_KEY: key = "" } = process.env;
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());
// Under a harness it ends with it, whatever became of that, and tells how long its loop stood still.
if (fstatSync(0).isSocket()) {
  const lines = createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    if (line === "reset") resetStall();
    else if (line === "stall") emit("stall", { stallMs: longestStall() });
  });
  lines.on("close", () => stop.abort());
  stop.signal.addEventListener("abort", () => lines.close());
}

const log = createLogger({ level: "warn", format: "text" });
const clock = systemClock;
const metrics = new Metrics();
const config = await loadConfig({ kubeconfig });
await using client = connect(config, { logger: log });
await using informers = new Informers(client, {
  ...{ managedFields: "cold", listMode: "pages" },
  ...{ clock, logger: log },
});
const settings = liveSettings(informers.acquire(Setting).cache, process.env);
const api = new Api({
  ...{ client, forwarding: client, informers, settings, features: parseFeatures("") },
  ...{ clock, log, metrics, version: "bench", headerAuth: true },
});
const health = new HealthChecks();
await using listener = await listen({
  httpsPort: 0,
  certificate: { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") },
  handle: pipeline({ health, metrics, api: () => api }),
  clock,
  log,
});
emit("listening", { address: `127.0.0.1:${listener.httpsPort}` });
await api.start(stop.signal);

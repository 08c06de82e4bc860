/** The API alone, without operators, on HTTPS, as Steve stands alone: callers are who their Impersonate-* headers say. */

import { readFileSync } from "node:fs";
import { Api, listen, pipeline } from "@drover/api";
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
import { emit } from "./protocol.ts";

const { KUBECONFIG: kubeconfig, BENCH_CERT: cert = "", BENCH_KEY: key = "" } = process.env;
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());

const log = createLogger({ level: "warn", format: "text" });
const clock = systemClock;
const metrics = new Metrics();
const config = await loadConfig({ kubeconfig });
await using client = connect(config, { logger: log });
await using informers = new Informers(client, { managedFields: "cold", clock, logger: log });
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

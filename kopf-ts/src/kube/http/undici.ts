/**
 * The parts of undici that this layer uses. undici's entry point also loads fetch, WebSocket, caches and mocks: 50 ms of CPU and 14 MB that every
 * process would pay at its start. These paths are not in its documented API, so the version is pinned and a test holds them against the
 * entry point.
 */

import { createRequire } from "node:module";
import type { buildConnector as BuildConnector, Pool as UndiciPool } from "undici";

const load: (path: string) => unknown = createRequire(import.meta.url);

function part<T>(path: string, isPart: (loaded: unknown) => loaded is T): T {
  const loaded = load(path);
  if (!isPart(loaded)) throw new Error(`this version of undici has no ${path}`);
  return loaded;
}

/** Connections to one origin. */
export const Pool: typeof UndiciPool = part(
  "undici/lib/dispatcher/pool.js",
  (loaded): loaded is typeof UndiciPool => typeof loaded === "function",
);

/** A connection to one origin. */
export type Pool = UndiciPool;

/** Makes what opens TCP and TLS connections. */
export const buildConnector: typeof BuildConnector = part(
  "undici/lib/core/connect.js",
  (loaded): loaded is typeof BuildConnector => typeof loaded === "function",
);

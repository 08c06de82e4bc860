import { type Clock, silentLogger } from "kopf-ts";
import type { WatchShares } from "../subscribe/index.ts";
import { cacheShares, Members } from "./index.ts";

/** Of a replica that works for no cluster but its own. */
export function noMembers(clock: Clock, shares: WatchShares): Members {
  const parts = { clock, log: silentLogger };
  const caches = cacheShares(parts);
  return new Members({ ...parts, managed: undefined, errorMapping: undefined, caches, shares });
}

/** What the caches of all clusters share. */

import type { Clock, Logger, Metrics } from "kopf-ts";
import { Threads } from "../../threads.ts";
import { CacheBudget, defaultMemory } from "../collections/index.ts";
import { keptPieces, type Pieces } from "../items/index.ts";

/** The memory that they may take together, threads, and who is told of them. */
export interface CacheShares {
  readonly budget: CacheBudget;
  readonly pieces: Pieces;
  readonly threads: Threads;
  readonly metrics: Metrics | undefined;
}

/** What they are made with. */
export interface CacheSharesParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: Metrics | undefined;
}

/** Of the memory that caches may take, what items have that were listed lately: of 1 GiB, room for 10,000 Pods in gzip, and for two thirds or more of them as they are. */
const itemsShare = 0.2;

/** Makes them, for so many bytes. */
export function cacheShares(parts: CacheSharesParts, memory: number = defaultMemory): CacheShares {
  const { clock, metrics } = parts;
  const ofItems = memory * itemsShare;
  return {
    budget: new CacheBudget(parts, memory - ofItems),
    pieces: keptPieces({ bytes: ofItems, metrics }),
    threads: new Threads(clock),
    metrics,
  };
}

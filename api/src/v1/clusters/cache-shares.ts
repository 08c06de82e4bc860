/** What the caches of all clusters share. */

import type { Clock, Logger, Metrics } from "kopf-ts";
import { Threads } from "../../threads.ts";
import { ResponseCache } from "../answers/response-cache.ts";
import { CacheBudget, defaultMemory } from "../collections/index.ts";
import { keptPieces, type Pieces } from "../items/index.ts";

/** The memory that they may take together, threads, and who is told of them. */
export interface CacheShares {
  readonly budget: CacheBudget;
  readonly pieces: Pieces;
  readonly responses: ResponseCache;
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
/** And answers that are sent again: some 50 pages of 1 MB, or 250 in gzip. */
const responsesShare = 0.05;

/** Makes them, for so many bytes. */
export function cacheShares(parts: CacheSharesParts, memory: number = defaultMemory): CacheShares {
  const { clock, metrics } = parts;
  const [ofItems, ofResponses] = [memory * itemsShare, memory * responsesShare];
  return {
    budget: new CacheBudget(parts, memory - ofItems - ofResponses),
    pieces: keptPieces({ bytes: ofItems, metrics }),
    responses: new ResponseCache({ clock, bytes: ofResponses, metrics }),
    threads: new Threads(clock),
    metrics,
  };
}

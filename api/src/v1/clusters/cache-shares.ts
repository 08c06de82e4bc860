/** What the caches of all clusters share. */

import type { Clock, Logger, Metrics } from "kopf-ts";
import { Threads } from "../../threads.ts";
import { Repeats } from "../answers/repeats.ts";
import { CacheBudget, defaultMemory } from "../collections/index.ts";
import { keptPieces, type Pieces } from "../items/index.ts";

/** The memory that they may take together, threads, and who is told of them. */
export interface CacheShares {
  readonly budget: CacheBudget;
  readonly pieces: Pieces;
  readonly repeats: Repeats;
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
const repeatsShare = 0.05;

/** Makes them, for so many bytes. */
export function cacheShares(parts: CacheSharesParts, memory: number = defaultMemory): CacheShares {
  const { clock, metrics } = parts;
  const [ofItems, ofRepeats] = [memory * itemsShare, memory * repeatsShare];
  return {
    budget: new CacheBudget(parts, memory - ofItems - ofRepeats),
    pieces: keptPieces({ bytes: ofItems, metrics }),
    repeats: new Repeats({ clock, bytes: ofRepeats, metrics }),
    threads: new Threads(clock),
    metrics,
  };
}

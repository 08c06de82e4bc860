/** Every concern of Drover, by where it runs. */

import type { AnyController, Metrics } from "kopf-ts";
import { tokenPurge } from "./management/token-purge/index.ts";

/** What concerns get besides the context of each run. */
export interface Surroundings {
  readonly metrics?: Metrics;
}

/** Run once, on the leader, against the local cluster. */
export function management({ metrics }: Surroundings = {}): readonly AnyController[] {
  return [tokenPurge({ metrics })];
}

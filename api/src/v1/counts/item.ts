/** Counts as an item of /v1. */

import type { ItemCount } from "./counts.ts";

/** The only object of its type. */
export interface CountItem {
  readonly id: "count";
  readonly type: "count";
  readonly links: Readonly<Record<string, string>>;
  readonly counts: Readonly<Record<string, ItemCount>>;
}

/** `counts` may be those of some types only, as watches tell them. */
export function countItem(counts: CountItem["counts"], base: string): CountItem {
  const self = `${base}/v1/counts/count`;
  return { id: "count", type: "count", links: { self }, counts };
}

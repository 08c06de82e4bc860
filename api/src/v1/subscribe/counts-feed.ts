/** Subscriptions to counts (steve: pkg/resources/counts). */

import type { Access } from "../access/access.ts";
import type { SpecialFeed, SpecialWatch } from "./special.ts";

/** Who tells counts: CountsFeed of counts. */
export interface CountsSource<Counts> {
  subscribe(access: Access, listener: (counts: Counts) => void): SpecialWatch;
}

/** Counts as they change; `itemOf` makes an item of those that did. */
export function countsFeed<Counts>(
  source: CountsSource<Counts>,
  itemOf: (counts: Counts, base: string) => object,
): SpecialFeed {
  return ({ access, base }, tell) =>
    source.subscribe(access, (counts) => {
      const item = Buffer.from(JSON.stringify(itemOf(counts, base)));
      tell({ name: "resource.change", item: [item] });
    });
}

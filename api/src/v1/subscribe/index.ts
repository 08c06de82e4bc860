export { ClusterWatches, type WatchAsked, WatchShares } from "./cluster-watches.ts";
export { countsFeed } from "./counts-feed.ts";
export { schemaFeed } from "./schema-feed.ts";
export type { SeveralAsked, SeveralWatch, SeveralWatches } from "./several.ts";
export { Subscriptions } from "./subscriptions.ts";

export { countsFeed } from "./counts-feed.ts";
export { schemaFeed } from "./schema-feed.ts";
export type { SpecialFeed } from "./special.ts";
export { Subscriptions, type SubscriptionsParts } from "./subscriptions.ts";

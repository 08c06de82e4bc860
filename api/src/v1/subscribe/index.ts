export { countsFeed } from "./counts-feed.ts";
export { schemaFeed } from "./schema-feed.ts";
export { Subscriptions } from "./subscriptions.ts";

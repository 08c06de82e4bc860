export type { CountsParts, ItemCount, Summary } from "./counts.ts";
export { type Counts, CountsFeed, type CountsWatch, type FeedParts } from "./feed.ts";
export { countItem } from "./item.ts";
export { countsRoute } from "./route.ts";

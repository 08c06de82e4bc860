export { CountsFeed } from "./feed.ts";
export { countItem } from "./item.ts";
export { countsRoute } from "./route.ts";

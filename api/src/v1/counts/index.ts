export { CountsFeed } from "./feed.ts";
export { countsRoute } from "./route.ts";

export { CachedItems } from "./items.ts";

export { CacheBudget } from "./cache-budget.ts";
export type { Collection } from "./collection.ts";
export { type CollectionsOptions, defaultMemory } from "./options.ts";
export { TypeCollections } from "./type-collections.ts";

export type { Collection, Collections } from "./collection.ts";
export type { CollectionsOptions } from "./options.ts";
export { type CollectionsParts, TypeCollections } from "./type-collections.ts";

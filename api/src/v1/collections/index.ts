export type { Collection } from "./collection.ts";
export type { CollectionsOptions } from "./options.ts";
export { TypeCollections } from "./type-collections.ts";

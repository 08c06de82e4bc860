export { associatedType } from "./associated.ts";
export type { ItemContext, Items, ItemWriter, PackedItem, Shape } from "./item.ts";
export { CachedItems, type ItemsParts, type ItemsStats } from "./items.ts";
export { parseShape, whole } from "./shape.ts";

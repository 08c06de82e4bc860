export { associatedType } from "./associated.ts";
export type { ItemContext, Items, ItemWriter, Shape } from "./item.ts";
export { CachedItems, type ItemsParts } from "./items.ts";
export type { PiecesStats } from "./pieces.ts";
export { parseShape, whole } from "./shape.ts";

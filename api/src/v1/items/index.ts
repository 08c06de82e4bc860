export { CachedItems, keptPieces } from "./items.ts";
export type { Pieces } from "./pieces.ts";

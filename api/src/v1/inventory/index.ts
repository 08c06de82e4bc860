export { imagesColumn, labelsColumn } from "./kept.ts";
export { LiveInventory } from "./live-inventory.ts";

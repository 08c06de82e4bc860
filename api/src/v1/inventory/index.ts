export type { Inbound, Inventory, Standing, Tally, TypeInventory } from "./inventory.ts";
export { LiveInventory } from "./live-inventory.ts";

export { LiveInventory } from "./live-inventory.ts";

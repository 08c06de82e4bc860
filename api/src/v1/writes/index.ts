export { type WriteParts, type Writes, writes } from "./writes.ts";

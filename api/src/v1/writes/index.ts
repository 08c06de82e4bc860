export { writes } from "./writes.ts";

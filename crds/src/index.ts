export { kinds } from "./kinds.ts";

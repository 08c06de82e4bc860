export { KnownTypes } from "./known-types.ts";
export { LiveTypes } from "./live-types.ts";

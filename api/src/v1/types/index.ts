export { KnownTypes } from "./known-types.ts";
export { LiveTypes, type LiveTypesParts } from "./live-types.ts";

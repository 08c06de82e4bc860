/** What tests of operators need, ours and others': nothing here is imported by the layers themselves. */

export { type Random, seededRandom } from "./random.ts";
export { hugeObject, randomObject } from "./random-json.ts";

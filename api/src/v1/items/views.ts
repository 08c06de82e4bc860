/** What is asked for and who asks, in a few characters, as kept items are found by. */

import { LRUCache } from "lru-cache";
import { keyOf, type Lines } from "../digest.ts";

/** Texts that have a name; one that was forgotten gets another. */
const mostNamed = 10_000;

/** Gives short names to lines of text: the same to the same, another to another. What it keeps does not grow with how long they are. */
export function views(): (...lines: Lines) => string {
  const known = new LRUCache<string, string>({ max: mostNamed });
  let last = 0;
  return (...lines) => {
    const key = keyOf(...lines);
    const name = known.get(key) ?? String(++last);
    known.set(key, name);
    return name;
  };
}

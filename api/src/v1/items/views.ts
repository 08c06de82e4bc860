/** What is asked for and who asks, in a few characters, as kept items are found by. */

import { LRUCache } from "lru-cache";
import { digestOf } from "../digest.ts";

/** Texts that have a name; one that was forgotten gets another. */
const mostNamed = 10_000;

/** Gives short names to texts: the same to the same, another to another. What it keeps does not grow with how long they are. */
export function views(): (text: string) => string {
  const known = new LRUCache<string, string>({ max: mostNamed });
  let last = 0;
  return (text) => {
    const digest = digestOf(text);
    const name = known.get(digest) ?? String(++last);
    known.set(digest, name);
    return name;
  };
}

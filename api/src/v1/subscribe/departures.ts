/** What a caller can no longer see after a change of rights. */

import { type Cache, parseKey } from "kopf-ts";
import { type Reach, reaches } from "../access/access.ts";
import { isWithin, type Scope } from "./scope.ts";

/** Objects looked at between two looks at the clock. */
const atOnce = 200;

/** The keys of objects that were in a scope and are no longer within reach; undefined now and then, to pause. Labels do not count: who had the right to look may know. */
export function* departures(
  cache: Cache,
  before: Scope,
  reach: () => Reach,
): Generator<string | undefined, void, void> {
  let looked = 0;
  for (const key of [...cache.keys()]) {
    const { namespace = "", name } = parseKey(key);
    const left = isWithin(before, namespace, name) && !reaches(reach(), namespace, name);
    if (left) yield key;
    else if (++looked % atOnce === 0) yield undefined;
  }
}

/** As much of an object as says which one it was. */
export function gone(typeId: string, key: string): Buffer {
  const { namespace, name } = parseKey(key);
  const metadata = namespace === undefined ? { name } : { name, namespace };
  return Buffer.from(JSON.stringify({ id: key, type: typeId, links: {}, metadata }));
}

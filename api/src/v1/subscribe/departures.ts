/** What a watch has shown, and does not show after a change of rights. */

import { type Cache, type PastChange, parseKey } from "kopf-ts";
import { FeedChange } from "./change.ts";
import { isWithin, nameFor, type Scope, shows } from "./scope.ts";

/** Keys of objects; undefined now and then, to pause. */
type Departures = Generator<string | undefined, void, void>;

/** Objects looked at between two looks at the clock. */
const atOnce = 200;

/** The objects in a cache that were shown before, and are not after. */
export function* departures(cache: Cache, before: Scope, after: () => Scope): Departures {
  let looked = 0;
  for (const key of [...cache.keys()]) {
    const { namespace = "", name } = parseKey(key);
    const object = { namespace, name, labels: () => cache.labelsOf(key) };
    const left = cache.has(key) && shows(before, object) && !shows(after(), object);
    if (left) yield key;
    else if (++looked % atOnce === 0) yield undefined;
  }
}

/** The objects that ceased to be shown by changes that were not told, and of which nobody may be told any more. */
export function* untoldDepartures(
  changes: readonly PastChange[],
  before: Scope,
  after: () => Scope,
): Departures {
  const unknown = arrivals(changes);
  for (const past of changes) {
    const change = new FeedChange(past);
    const left = !unknown.has(change.key) && nameFor(before, change) === "resource.remove";
    yield left && !isWithin(after(), change.namespace, change.name) ? change.key : undefined;
  }
}

/** The objects that were not there before these changes: whoever was not told of them does not know that there are any. */
export function arrivals(changes: readonly PastChange[]): ReadonlySet<string> {
  const first = new Map<string, PastChange["type"]>();
  for (const { key, type } of changes) if (!first.has(key)) first.set(key, type);
  const arrived = [...first].filter(([, type]) => type === "ADDED");
  return new Set(arrived.map(([key]) => key));
}

/** As much of an object as says which one it was. */
export function gone(typeId: string, key: string): Buffer {
  const { namespace, name } = parseKey(key);
  const metadata = namespace === undefined ? { name } : { name, namespace };
  return Buffer.from(JSON.stringify({ id: key, type: typeId, links: {}, metadata }));
}

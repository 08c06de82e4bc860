/** Compares what a cache and a controller know with what the server holds. */

import { isDeepStrictEqual } from "node:util";
import type { Cache } from "../../cache/index.ts";
import { keyOf } from "../../kube/index.ts";
import type { Thing } from "./population.ts";
import type { Mirror, Witness } from "./witness.ts";

/** Who is asked. */
export interface Parties {
  readonly truth: readonly Thing[];
  readonly cache: Cache<Thing>;
  readonly mirror: Mirror;
  readonly witness: Witness;
}

/** Everything in which they differ from the truth, as sentences; empty when all is well. */
export function differences({ truth, cache, mirror, witness }: Parties): readonly string[] {
  const objects = new Map(truth.map((thing) => [keyOf(thing), thing]));
  const keys = new Set([...objects.keys(), ...cache.keys(), ...witness.last.keys()]);
  for (const key of mirror.resourceVersions.keys()) keys.add(key);
  return [...keys].flatMap((key) => {
    const thing = objects.get(key);
    const stored = thing?.metadata.resourceVersion;
    return [
      ...differs(`${key} in the cache`, cache.resourceVersionOf(key), stored),
      ...differs(`${key} as told to listeners`, mirror.resourceVersions.get(key), stored),
      ...differs(`${key} as reconciled`, lastOf(witness, key), stored),
      ...differentBytes(key, cache, thing),
    ];
  });
}

/** A key that was never there need not be told gone. */
function lastOf({ last }: Witness, key: string): string | undefined {
  const seen = last.get(key);
  return seen === "gone" ? undefined : seen;
}

function differs(what: string, is: string | undefined, stored: string | undefined): string[] {
  return is === stored ? [] : [`${what}: ${is ?? "absent"}, on the server ${stored ?? "absent"}`];
}

function differentBytes(key: string, cache: Cache<Thing>, thing: Thing | undefined): string[] {
  const raw = cache.raw(key);
  if (raw === undefined || thing === undefined) return [];
  const { managedFields: _, ...metadata } = thing.metadata;
  const equal = isDeepStrictEqual(JSON.parse(raw.toString()), { ...thing, metadata });
  return equal ? [] : [`${key}: other bytes than the server's`];
}

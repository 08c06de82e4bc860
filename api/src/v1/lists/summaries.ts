/** How often values of fields occur (steve: pkg/sqlcache/informer/summary_fields.go). */

import type { Field } from "../fields/index.ts";
import type { Slices } from "../slices.ts";

/** One field of a summary. */
export interface SummaryEntry {
  readonly property: string;
  readonly counts: Readonly<Record<string, Count>>;
}

interface Count {
  readonly total: number;
  readonly namespace?: Readonly<Record<string, number>>;
}

/** The value of a field of an object; empty where there is none. */
export type ReadValue = (key: string, field: Field) => string;

/** Counts the values of fields among objects; by namespace also, if wanted. What is empty does not count, and fields of which nothing counts are left out. */
export async function summaryOf(
  read: ReadValue,
  keys: readonly string[],
  fields: readonly Field[],
  namespaced: boolean,
  slices: Slices,
): Promise<readonly SummaryEntry[]> {
  const tallies = new Map(fields.map((field) => [field, new Map<string, Tally>()]));
  for (const key of keys) {
    for (const [field, tally] of tallies) count(tally, key, read(key, field), namespaced);
    await slices.rest();
  }
  return [...tallies]
    .filter(([, tally]) => tally.size > 0)
    .map(([{ name }, tally]) => ({ property: name, counts: countsOf(tally) }))
    .toSorted((a, b) => compare(a.property.toLowerCase(), b.property.toLowerCase()));
}

interface Tally {
  total: number;
  readonly namespaces: Map<string, number> | undefined;
}

function count(tallies: Map<string, Tally>, key: string, value: string, namespaced: boolean): void {
  if (value === "") return;
  const tally = tallies.get(value) ?? { total: 0, namespaces: namespaced ? new Map() : undefined };
  tally.total++;
  const namespace = key.includes("/") ? key.slice(0, key.indexOf("/")) : "";
  tally.namespaces?.set(namespace, (tally.namespaces.get(namespace) ?? 0) + 1);
  tallies.set(value, tally);
}

/** In the order of values, as Go writes maps. */
function countsOf(tallies: ReadonlyMap<string, Tally>): Readonly<Record<string, Count>> {
  const sorted = [...tallies].toSorted(([a], [b]) => compare(a, b));
  return Object.fromEntries(
    sorted.map(([value, { total, namespaces }]) => [
      value,
      namespaces === undefined ? { total } : { total, namespace: byName(namespaces) },
    ]),
  );
}

function byName(namespaces: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  return Object.fromEntries([...namespaces].toSorted(([a], [b]) => compare(a, b)));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** How often values of fields occur (steve: pkg/sqlcache/informer/summary_fields.go). */

import type { Count, SummaryEntry } from "../answers/formats.ts";
import type { Field } from "../fields/index.ts";
import { type Slices, sortedIn } from "../slices.ts";

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
  const entries: SummaryEntry[] = [];
  for (const [{ name }, tally] of tallies) {
    if (tally.size > 0) entries.push({ property: name, counts: await countsOf(tally, slices) });
  }
  return entries.sort((a, b) => compare(a.property.toLowerCase(), b.property.toLowerCase()));
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

async function countsOf(
  tallies: ReadonlyMap<string, Tally>,
  slices: Slices,
): Promise<SummaryEntry["counts"]> {
  const sorted = await sortedIn(slices, [...tallies], ([a], [b]) => compare(a, b));
  const counts: [string, Count][] = [];
  for (const [value, { total, namespaces }] of sorted) {
    counts.push([
      value,
      namespaces === undefined ? { total } : { total, namespace: byName(namespaces) },
    ]);
    await slices.rest();
  }
  return counts;
}

function byName(namespaces: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  return Object.fromEntries([...namespaces].toSorted(([a], [b]) => compare(a, b)));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

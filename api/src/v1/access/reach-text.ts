/** Reaches as short texts. */

import { digestOf } from "../digest.ts";
import type { Reach } from "./access.ts";

/** Namespaces and names that are sorted at a time: some milliseconds. */
const MOST = 10_000;

/** Those of sets as well, which many reaches share. */
const texts = new WeakMap<object, string>();

/** The texts of all, unless to make them would take too long; undefined then. */
export function textsOfReaches(reaches: Iterable<Reach>): readonly string[] | undefined {
  let left = MOST;
  const all: string[] = [];
  for (const reach of reaches) {
    left -= workOf(reach);
    if (left < 0) return undefined;
    all.push(textOfReach(reach));
  }
  return all;
}

/** What is to be sorted. */
function workOf(reach: Reach): number {
  if (reach === "all" || texts.has(reach)) return 0;
  const { namespaces, names } = reach;
  const unknown = [namespaces, ...names.values()].filter((set) => !texts.has(set));
  return unknown.reduce((sum, { size }) => sum + size, names.size);
}

/** Another text for another reach. */
export function textOfReach(reach: Reach): string {
  if (reach === "all") return "all";
  return kept(reach, () => {
    const names = Array.from(reach.names, ([namespace, of]) => [namespace, textOfSet(of)]);
    return [textOfSet(reach.namespaces), names.sort(byNamespace)];
  });
}

function textOfSet(set: ReadonlySet<string>): string {
  return kept(set, () => [...set].sort());
}

/** What something is as data, in short. */
function kept(of: object, data: () => unknown): string {
  const known = texts.get(of);
  if (known !== undefined) return known;
  const text = digestOf(JSON.stringify(data()));
  texts.set(of, text);
  return text;
}

function byNamespace([a = ""]: readonly string[], [b = ""]: readonly string[]): number {
  return a < b ? -1 : 1;
}

/** Lists that somebody may ask for, and what they mean to somebody who looks at every object. */

import type { Random } from "kopf-ts/testing";
import { listAt } from "../tree.ts";
import { compareRanks, type Gizmo, gizmos, idOf } from "./gizmos.test.support.ts";

/** A list that somebody may ask for, and what it means. */
export interface RandomList {
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly tests: readonly (readonly Test[])[];
  readonly sort: readonly { readonly field: RandomField; readonly descending: boolean }[];
  readonly page: number;
  readonly size: number;
}

type Test = (gizmo: Gizmo) => boolean;

/** A field as the naive search reads it: its values as texts, and what it is ordered by. */
interface RandomField {
  readonly name: string;
  readonly values: (gizmo: Gizmo) => readonly string[] | undefined;
  readonly rank: (gizmo: Gizmo) => string | number;
  readonly isLabel?: true;
}

function textField(name: string, read: (gizmo: Gizmo) => unknown): RandomField {
  const value = (gizmo: Gizmo): string => String(read(gizmo) ?? "");
  return { name, values: (gizmo) => [value(gizmo)], rank: (gizmo) => value(gizmo).toLowerCase() };
}

const fields: readonly RandomField[] = [
  textField("metadata.name", ({ name }) => name),
  textField("metadata.namespace", ({ namespace }) => namespace),
  textField("id", idOf),
  textField("spec.color", ({ spec }) => spec.color),
  textField("metadata.fields[2]", ({ spec }) => spec.color),
  {
    ...textField("spec.size", ({ spec }) => spec.size),
    rank: ({ spec }) => Number(spec.size ?? Number.POSITIVE_INFINITY),
  },
  {
    name: "spec.tags",
    values: ({ spec }) => listAt(spec, "tags").map(String),
    rank: ({ spec }) => listAt(spec, "tags").join("|"),
  },
  {
    name: "metadata.labels.tier",
    values: ({ labels }) => (labels.tier === undefined ? undefined : [labels.tier]),
    rank: ({ labels }) => labels.tier ?? "\uffff",
    isLabel: true,
  },
];

const values = [
  "g-1",
  "g-2",
  "1",
  "0",
  "5",
  "red",
  "green",
  "Green",
  "x",
  "x y",
  "z|w",
  "",
  "%",
  "lists",
  "50%_\\",
];

function pick<T>(random: Random, from: readonly T[]): T {
  const found = from[random.below(from.length)];
  if (found === undefined) throw new Error("nothing to pick from");
  return found;
}

/** Some list. */
export function randomList(random: Random): RandomList {
  const groups = Array.from({ length: random.below(3) }, () =>
    Array.from({ length: 1 + random.below(3) }, () => randomTest(random)),
  );
  const sort = Array.from({ length: random.below(3) }, () => ({
    ...{ field: pick(random, fields), descending: random.chance(0.5) },
  }));
  const [page, size] = [1 + random.below(4), random.below(12)];
  const order = sort.map(({ field, descending }) => `${descending ? "-" : ""}${field.name}`).join();
  return {
    query: [
      ...groups.map((group) => ["filter", group.map(({ written }) => written).join()] as const),
      ...(order === "" ? [] : [["sort", order] as const]),
      ...[["page", String(page)] as const, ["pagesize", String(size)] as const],
    ],
    tests: groups.map((group) => group.map(({ test }) => test)),
    ...{ sort, page, size },
  };
}

function randomTest(random: Random): { readonly written: string; readonly test: Test } {
  const field = pick(random, fields);
  const [value, other] = [pick(random, values), pick(random, ["1", "g-1", "red", "x"])];
  const quoted = `'${value.replaceAll("\\", "\\\\")}'`;
  const is = (gizmo: Gizmo, ...wanted: readonly string[]): boolean => {
    const found = field.values(gizmo);
    return found !== undefined && wanted.includes(found.join("|"));
  };
  const has = (gizmo: Gizmo): boolean => membersOf(field, gizmo).includes(value);
  const contains = (gizmo: Gizmo): boolean =>
    field.values(gizmo)?.join("|").toLowerCase().includes(value.toLowerCase()) ?? false;
  const { name } = field;
  return pick<{ readonly written: string; readonly test: Test }>(random, [
    { written: `${name}=${quoted}`, test: (gizmo) => is(gizmo, value) },
    { written: `${name} != ${quoted}`, test: (gizmo) => !is(gizmo, value) },
    { written: `${name}~${quoted}`, test: contains },
    { written: `${name}!~${quoted}`, test: (gizmo) => !contains(gizmo) },
    { written: `${name} in (${other},5)`, test: (gizmo) => is(gizmo, other, "5") },
    { written: `${name} notin (${other},5)`, test: (gizmo) => !is(gizmo, other, "5") },
    ...(value === ""
      ? []
      : [
          { written: `${name} contains ${quoted}`, test: has },
          { written: `${name} notcontains ${quoted}`, test: (gizmo: Gizmo) => !has(gizmo) },
        ]),
  ]);
}

function membersOf({ values: read }: RandomField, gizmo: Gizmo): readonly string[] {
  return read(gizmo) ?? [];
}

/** The ids that it has to have. */
export function naive({ tests, sort, page, size }: RandomList): {
  readonly total: number;
  readonly page: readonly string[];
} {
  const found = gizmos
    .filter((gizmo) => tests.every((group) => group.some((test) => test(gizmo))))
    .toSorted((x, y) => {
      for (const { field, descending } of sort) {
        const order = compareRanks([field.rank(x)], [field.rank(y)]);
        if (order !== 0) return descending ? -order : order;
      }
      return compareRanks([idOf(x)], [idOf(y)]);
    })
    .map(idOf);
  const start = (page - 1) * size;
  return { total: found.length, page: size === 0 ? found : found.slice(start, start + size) };
}

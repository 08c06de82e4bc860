/** From what a list asks for to what a cache can answer. */

import { type Filter, parseNumber, type Sort } from "kopf-ts";
import type { Field, Source } from "../fields/index.ts";
import { QueryError } from "../query/errors.ts";
import { type FieldPath, fieldText } from "../query/field.ts";
import type { Requirement } from "../query/filter.ts";
import type { ListQuery } from "../query/list-query.ts";
import type { SortKey } from "../query/sort.ts";
import type { Joins } from "./joins.ts";

/** The fields that a query names. */
export type FieldOf = (path: FieldPath) => Field;

/** What a cache is asked, and the columns that it needs for that. */
export interface Asked<T> {
  readonly what: T;
  readonly sources: readonly Source[];
}

/** Each looks at every object, for some 20 ns; lists of values of one field count once. */
const mostTests = 50;

/** Filters of which all have to hold, each of requirements of which one has to; `selected` is what the type's field selector means. Throws QueryError for more of them than a cache answers at once. */
export function filtersOf(
  { filters, selected }: Pick<ListQuery, "filters"> & { readonly selected: ListQuery["filters"] },
  fieldOf: FieldOf,
  joins: Joins,
): Asked<readonly Filter[]> {
  const groups = [...bounded(filters, "filter"), ...bounded(selected, "fieldSelector")];
  const asked = groups.map((group) =>
    group.map((each) => testOf(each, fieldOf(each.field), joins)),
  );
  return {
    what: asked.map((group) => anyOf(group.map(({ what }) => what))),
    sources: asked.flat().flatMap(({ sources }) => sources),
  };
}

/** What is left of a parameter's requirements when those of one field are put together. */
function bounded(
  groups: readonly (readonly Requirement[])[],
  parameter: string,
): readonly (readonly Requirement[])[] {
  const merged = withoutRepeats(groups.filter((group) => group.length > 0)).map(withListsOf);
  const tests = merged.reduce((sum, { length }) => sum + length, 0);
  if (tests > mostTests) throw new QueryError(parameter, `more than ${mostTests} requirements`);
  return merged;
}

/** Exclusions of one field that stand alone in one list: clients that hide namespaces have one for each. */
function withoutRepeats(
  groups: readonly (readonly Requirement[])[],
): readonly (readonly Requirement[])[] {
  const lists = new Map<string, { readonly field: FieldPath; readonly values: string[] }>();
  const others = groups.filter(([first, ...more]) => {
    const values = first && more.length === 0 ? excludedBy(first) : undefined;
    if (first === undefined || values === undefined) return true;
    const name = fieldText(first.field);
    const list = lists.get(name) ?? { field: first.field, values: [] };
    for (const value of values) list.values.push(value);
    lists.set(name, list);
    return false;
  });
  const merged = [...lists.values()].map((list): readonly Requirement[] => [
    { ...list, op: "notin" },
  ]);
  return [...merged, ...others];
}

/** The values that a requirement excludes, when that is all it says. */
function excludedBy(requirement: Requirement): readonly string[] | undefined {
  if (requirement.op === "!=") return [requirement.value];
  return requirement.op === "notin" ? requirement.values : undefined;
}

/** Equalities of one field in one list, so that thousands of them cost one test. */
function withListsOf(group: readonly Requirement[]): readonly Requirement[] {
  const lists = new Map<string, { readonly field: FieldPath; readonly values: string[] }>();
  const others: Requirement[] = [];
  for (const each of group) {
    const values = equalsOf(each);
    if (values === undefined) {
      others.push(each);
      continue;
    }
    const name = fieldText(each.field);
    const list = lists.get(name) ?? { field: each.field, values: [] };
    for (const value of values) list.values.push(value);
    lists.set(name, list);
  }
  const merged = [...lists.values()].map((list): Requirement => ({ ...list, op: "in" }));
  return [...merged, ...others];
}

/** The values that a requirement allows, when that is all it says. */
function equalsOf(requirement: Requirement): readonly string[] | undefined {
  if (requirement.op === "=") return [requirement.value];
  return requirement.op === "in" ? requirement.values : undefined;
}

function anyOf(filters: readonly Filter[]): Filter {
  const [only, ...others] = filters;
  return only !== undefined && others.length === 0 ? only : { any: filters };
}

/** Holds for every object. */
const always: Filter = { all: [] };
/** Holds for none. */
const never: Filter = { any: [] };

function testOf(requirement: Requirement, field: Field, joins: Joins): Asked<Filter> {
  const join = joins.get(field);
  if (join !== undefined)
    return { what: join.filter((value) => holds(requirement, value)), sources: [] };
  const { op } = requirement;
  if (op === "<" || op === ">") return comparison(field, op, requirement.value);
  const column = field.texts.column;
  const asked = (what: Filter): Asked<Filter> => ({ what, sources: [field.texts] });
  switch (op) {
    case "exists":
    case "absent":
      return asked({ column, op });
    case "=":
      return asked(oneOf(field, [requirement.value]));
    case "!=":
      return asked({ not: oneOf(field, [requirement.value]) });
    case "in":
      return asked(oneOf(field, requirement.values));
    case "notin":
      return asked({ not: oneOf(field, requirement.values) });
    case "~":
      return asked(part(field, requirement.value));
    case "!~":
      return asked({ not: part(field, requirement.value) });
    case "contains":
      return asked({ column, op: "has", value: requirement.value });
    case "notcontains":
      return asked({ column, op: "hasnot", value: requirement.value });
  }
}

/** As the cache would have it, of one text. */
function holds(requirement: Requirement, value: string): boolean {
  switch (requirement.op) {
    case "exists":
    case "absent":
      return (value !== "") === (requirement.op === "exists");
    case "=":
    case "contains":
      return value === requirement.value;
    case "!=":
    case "notcontains":
      return value !== requirement.value;
    case "in":
    case "notin":
      return requirement.values.includes(value) === (requirement.op === "in");
    case "~":
    case "!~":
      return (
        value.toLowerCase().includes(requirement.value.toLowerCase()) === (requirement.op === "~")
      );
    case "<":
      return parseNumber(value) < requirement.value;
    case ">":
      return parseNumber(value) > requirement.value;
  }
}

/** Beside labels, what is absent equals the empty text. */
function oneOf({ texts: { column }, label }: Field, values: readonly string[]): Filter {
  const [only, ...others] = values;
  if (only === undefined) return never;
  const isOne: Filter =
    others.length === 0 ? { column, op: "=", value: only } : { column, op: "in", values };
  if (label !== undefined || !values.includes("")) return isOne;
  return { any: [isOne, { column, op: "absent" }] };
}

function part({ texts: { column }, label }: Field, value: string): Filter {
  if (value !== "") return { column, op: "contains", value };
  return label === undefined ? always : { column, op: "exists" };
}

/** What is no number is infinite, and passes neither. Labels are compared by a selector. */
function comparison(
  { numbers, label }: Field,
  op: "<" | ">",
  value: number | bigint,
): Asked<Filter> {
  if (label !== undefined) {
    const isName = /^[\w./-]+$/.test(label);
    return { what: isName ? { labels: `${label}${op}${value}` } : never, sources: [] };
  }
  const { column } = numbers;
  const limit: Filter = { column, op, value };
  const isNumber: Filter = { column, op: "<", value: Number.POSITIVE_INFINITY };
  return { what: op === "<" ? limit : { all: [limit, isNumber] }, sources: [numbers] };
}

/** Sort keys. Objects without a label come last, and first in a descending order; with all other fields it is the other way round. By id when there are none. */
export function sortOf(keys: readonly SortKey[], fieldOf: FieldOf): Asked<readonly Sort[]> {
  if (keys.length === 0) return { what: byId, sources: [] };
  const asked = keys.map(({ field: path, descending, isAddress }) => {
    const field = fieldOf(path);
    const sources = isAddress ? [field.addresses] : field.order;
    const absent = (field.label === undefined) === descending ? "last" : "first";
    return {
      sources,
      what: sources.map(({ column }): Sort => ({ column, descending, ignoreCase: true, absent })),
    };
  });
  return {
    what: asked.flatMap(({ what }) => what),
    sources: asked.flatMap(({ sources }) => sources),
  };
}

const byId: readonly Sort[] = [{ column: "id", ignoreCase: true }];

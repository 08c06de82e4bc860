/** Fields whose values other objects have, such as the name of the project that a namespace is in. */

import type { Cache, Filter } from "kopf-ts";
import { type Access, isNothing } from "../access/access.ts";
import type { Collection, Collections } from "../collections/collection.ts";
import type { Copied, Field, Fields, Source } from "../fields/index.ts";
import type { FieldPath } from "../query/field.ts";
import type { Types } from "../types/resource-type.ts";
import type { OtherTypes } from "./other-types.ts";

/** The values of one such field. */
export interface Join {
  /** Of an object by its key; empty where there is none. */
  valueOf(key: string): string;
  /** The objects whose value passes; the test is asked about each distinct value. */
  filter(test: (value: string) => boolean): Filter;
}

/** By their fields. */
export type Joins = ReadonlyMap<Field, Join>;

/** What joins are made from. */
export interface JoinParts {
  readonly types: Types;
  readonly collections: Collections;
  readonly fields: Fields;
}

/** For whom, and of what. */
export interface Joining {
  readonly access: Access;
  readonly collection: Collection;
  readonly signal: AbortSignal;
  /** Told what is looked at. */
  readonly others: OtherTypes;
}

/** Looks up the values of those fields that are copied. Only objects that the caller may list have any. */
export async function joinsOf(
  fields: Iterable<Field>,
  joining: Joining,
  parts: JoinParts,
): Promise<Joins> {
  const joins = new Map<Field, Join>();
  for (const field of fields) {
    const { copied } = field;
    if (copied !== undefined) joins.set(field, await joinOf(copied, joining, parts));
  }
  return joins;
}

/** Values by what names their object: one or two texts. */
interface Named {
  readonly names: readonly string[];
  readonly value: string;
}

async function joinOf(copied: Copied, joining: Joining, parts: JoinParts): Promise<Join> {
  const { collection } = joining;
  const own = copied.by.map(({ own }) => sourceOf(parts.fields, collection, own));
  await need(collection, own);
  return new LookedUp(
    collection.cache,
    own.map(({ column }) => column),
    await namedBy(copied, joining, parts),
  );
}

/** The objects that have the values. */
async function namedBy(
  copied: Copied,
  { access, signal, others }: Joining,
  { types, collections, fields }: JoinParts,
): Promise<readonly Named[]> {
  const type = types.find(copied.type);
  const reach = type === undefined ? undefined : access.listed(type.kind);
  if (type === undefined || reach === undefined || isNothing(reach, type.kind.scope)) return [];
  using collection = await collections.use(type, signal);
  const names = copied.by.map(({ other }) => sourceOf(fields, collection, other));
  const value = sourceOf(fields, collection, copied.value);
  await need(collection, [...names, value]);
  const { cache } = collection;
  others.add(collection);
  const filter = reach === "all" ? undefined : { within: reach };
  const { keys } = cache.query({ filter, limit: Number.POSITIVE_INFINITY });
  const text = (key: string, { column }: Source): string =>
    String(cache.valueOf(key, column) ?? "");
  return keys.map((key) => ({
    names: names.map((name) => text(key, name)),
    value: text(key, value),
  }));
}

function sourceOf(fields: Fields, { type }: Collection, path: FieldPath): Source {
  const field = fields.of(type, path);
  if (field === undefined || field === "invalid") throw new Error(`no field ${path.join(".")}`);
  return field.texts;
}

/** Adds the columns that are not there yet. */
export async function need(collection: Collection, sources: readonly Source[]): Promise<void> {
  const specs = new Map(sources.map(({ column, spec }) => [column, spec]));
  await collection.need([...specs.values()].filter((spec) => spec !== undefined));
}

class LookedUp implements Join {
  readonly #cache: Cache;
  readonly #columns: readonly string[];
  /** By their names. */
  readonly #named: ReadonlyMap<string, Named>;

  constructor(cache: Cache, columns: readonly string[], named: readonly Named[]) {
    this.#cache = cache;
    this.#columns = columns;
    this.#named = new Map(named.map((each) => [nameOf(each.names), each])); // of two with the same names the last counts
  }

  valueOf(key: string): string {
    const names = this.#columns.map((column) => String(this.#cache.valueOf(key, column) ?? ""));
    return this.#named.get(nameOf(names))?.value ?? "";
  }

  /** What names nothing has the empty value: when that passes, the filter is who does not. */
  filter(test: (value: string) => boolean): Filter {
    const passes = test("");
    const others = [...this.#named.values()].filter(({ value }) => test(value) !== passes);
    const isOther: Filter = { any: this.#grouped(others) };
    return passes ? { not: isOther } : isOther;
  }

  /** One filter for all that have the same second name. */
  #grouped(named: readonly Named[]): readonly Filter[] {
    const groups = Map.groupBy(named, ({ names }) => nameOf(names.slice(1)));
    return [...groups.values()].map((group) => {
      const [first = "", ...rest] = this.#columns;
      const values = group.map(({ names }) => names[0] ?? "");
      const others = rest.map((column, index): Filter => {
        return { column, op: "=", value: group[0]?.names[index + 1] ?? "" };
      });
      return { all: [{ column: first, op: "in", values }, ...others] };
    });
  }
}

function nameOf(names: readonly string[]): string {
  return JSON.stringify(names);
}

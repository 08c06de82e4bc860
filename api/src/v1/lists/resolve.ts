/** The fields that a list names, for its type and its caller. */

import { LRUCache } from "lru-cache";
import { type Access, isNothing, type Reach, reaches } from "../access/access.ts";
import type { Collection } from "../collections/collection.ts";
import type { Field, Fields } from "../fields/index.ts";
import { leadsSomewhere, valueAt } from "../fields/index.ts";
import { type FieldPath, fieldText } from "../query/field.ts";
import type { ListQuery } from "../query/list-query.ts";
import type { ResourceType } from "../types/resource-type.ts";
import type { FieldOf } from "./filters.ts";
import { invalidField } from "./problems.ts";
import type { Slices } from "./slices.ts";

/** Where a field may be found that no schema tells of. */
export interface Place {
  readonly type: ResourceType;
  readonly access: Access;
  readonly reach: Reach;
  /** Undefined where the caller can see nothing. */
  readonly collection: Collection | undefined;
  readonly slices: Slices;
}

/** Questions without an answer that are not looked for again until the cache has changed. */
const mostMisses = 1000;

/** Finds fields. What neither the table nor the schema of a type has is looked for in the objects that the caller may list, and in no others. */
export class Resolver {
  readonly #fields: Fields;
  readonly #misses = new LRUCache<string, string>({ max: mostMisses });

  constructor(fields: Fields) {
    this.#fields = fields;
  }

  /** All fields that a query names. Throws a Problem for one that is none. */
  async resolve(query: ListQuery, place: Place): Promise<FieldOf> {
    const found = new Map<string, Field>();
    for (const [parameter, path] of pathsIn(query)) {
      const name = fieldText(path);
      if (!found.has(name)) found.set(name, await this.#find(path, parameter, place));
    }
    return (path) => {
      const field = found.get(fieldText(path));
      if (field === undefined) throw new Error(`${fieldText(path)} was not resolved`);
      return field;
    };
  }

  async #find(path: FieldPath, parameter: string, place: Place): Promise<Field> {
    const field = this.#fields.of(place.type, path);
    if (field !== undefined && field !== "invalid") return field;
    const value = field === undefined ? await this.#seen(path, place) : undefined;
    if (value === undefined) throw invalidField(path, parameter);
    return this.#fields.seen(place.type, path, value);
  }

  async #seen(
    path: FieldPath,
    { type, access, reach, collection, slices }: Place,
  ): Promise<unknown> {
    if (collection === undefined || isNothing(reach)) return undefined;
    const { cache } = collection;
    const miss = JSON.stringify([type.id, fieldText(path), access.fingerprint]);
    if (this.#misses.get(miss) === cache.resourceVersion) return undefined;
    const before = cache.resourceVersion;
    const mayHave = textTest(path);
    for (const key of [...cache.keys()]) {
      await slices.rest();
      const bytes = isWithin(reach, key) ? cache.raw(key) : undefined;
      if (bytes === undefined || !mayHave(bytes)) continue;
      const object = cache.get(key);
      if (leadsSomewhere(object, path)) return valueAt(object, path);
    }
    this.#misses.set(miss, before);
    return undefined;
  }
}

/** Each path with the parameter that names it. */
function* pathsIn({ filters, sort, summary }: ListQuery): Generator<readonly [string, FieldPath]> {
  for (const { field } of filters.flat()) yield ["filter", field];
  for (const { field } of sort) yield ["sort", field];
  for (const field of summary?.fields ?? []) yield ["summary", field];
}

function isWithin(reach: Reach, key: string): boolean {
  const slash = key.indexOf("/");
  return reaches(reach, key.slice(0, Math.max(0, slash)), key.slice(slash + 1));
}

/** Whether bytes can hold an object with the path: cheap, so that only few are parsed. */
function textTest(path: FieldPath): (bytes: Buffer) => boolean {
  const key = path.findLast((each) => !/^\d+$/.test(each)) ?? "";
  if (!/^[\w./-]+$/.test(key)) return () => true;
  const needle = Buffer.from(`"${key}"`);
  return (bytes) => bytes.includes(needle);
}

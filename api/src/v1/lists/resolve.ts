/** The fields that a list names, for its type and its caller. */

import type { Cache } from "kopf-ts";
import { LRUCache } from "lru-cache";
import { type Access, isNothing, type Reach, reaches } from "../access/access.ts";
import { textsOfReaches } from "../access/reach-text.ts";
import type { Collection } from "../collections/collection.ts";
import {
  absentOf,
  type Field,
  type Fields,
  leadsSomewhere,
  pathInObject,
  valueAt,
} from "../fields/index.ts";
import { type FieldPath, fieldText } from "../query/field.ts";
import type { ListQuery } from "../query/list-query.ts";
import type { Slices } from "../slices.ts";
import { isShownToStrangers, isStranger } from "../strangers.ts";
import type { ResourceType } from "../types/resource-type.ts";
import type { FieldOf } from "./filters.ts";
import { invalidField } from "./problems.ts";
import { selectedBy } from "./selectable.ts";
import { type Documents, modelOf } from "./told.ts";

/** Where a field may be found that no schema tells of. */
export interface Place {
  readonly type: ResourceType;
  readonly access: Access;
  readonly reach: Reach;
  /** Undefined where the caller can see nothing. */
  readonly collection: Collection | undefined;
  readonly slices: Slices;
}

/** The fields of a query. */
export interface Resolved {
  /** Of a path in the query. */
  readonly fieldOf: FieldOf;
  /** Each once. */
  readonly fields: readonly Field[];
}

/** How a search ended: at an object that is looked at first the next time, or nowhere in a cache as it was (lists of what cannot be watched may have no resourceVersion). */
type Ended =
  | { readonly hit: string; readonly miss?: never }
  | { readonly miss: Miss; readonly hit?: never };

interface Miss {
  readonly cache: WeakRef<Cache>;
  readonly revision: number;
}

/** Searches whose ends are remembered. */
const mostAnswers = 1000;

/**
 * Finds fields. What neither the table nor the schema of a type has is looked for in the objects that the caller may list, and in no others. What these do not show the
 * caller, none of them has.
 */
export class Resolver {
  readonly #fields: Fields;
  readonly #documents: Documents | undefined;
  readonly #answers = new LRUCache<string, Ended>({ max: mostAnswers });

  constructor(fields: Fields, documents: Documents | undefined) {
    this.#fields = fields;
    this.#documents = documents;
  }

  /** All fields that a query names. Throws a Problem for one that is none. */
  async resolve(query: ListQuery, place: Place): Promise<Resolved> {
    const found = new Map<string, Field>();
    for (const [parameter, path] of pathsIn(query, place.type)) {
      const name = fieldText(path);
      if (!found.has(name)) found.set(name, await this.#find(path, parameter, place));
    }
    const fieldOf = (path: FieldPath): Field => {
      const field = found.get(fieldText(path));
      if (field === undefined) throw new Error(`${fieldText(path)} was not resolved`);
      return field;
    };
    return { fieldOf, fields: [...found.values()] };
  }

  async #find(path: FieldPath, parameter: string, place: Place): Promise<Field> {
    const { type, access } = place;
    const isHidden = isStranger(type, access) && !isShownToStrangers(path);
    const field = this.#fields.of(type, path) ?? (await this.#told(path, type));
    if (field !== undefined && field !== "invalid") return isHidden ? absentOf(field) : field;
    const isSought = field === undefined && !isHidden;
    const value = isSought ? await this.#seen(path, place) : undefined;
    if (value === undefined) throw invalidField(path, parameter);
    return this.#fields.seen(type, path, value);
  }

  /** What the server says of kinds that are no CustomResourceDefinition's; of these it would say what they say themselves. */
  async #told(path: FieldPath, type: ResourceType): Promise<Field | undefined> {
    if (type.schema !== undefined) return undefined;
    const model = await modelOf(type, this.#documents);
    return model && this.#fields.told(type, path, model);
  }

  /** The value at a path of some object that the caller may list. */
  async #seen(path: FieldPath, place: Place): Promise<unknown> {
    const { type, access, reach, collection, slices } = place;
    if (collection === undefined || isNothing(reach)) return undefined;
    const { cache } = collection;
    const [seen = access.fingerprint] = textsOfReaches([reach]) ?? [];
    const question = JSON.stringify([type.id, fieldText(path), seen]);
    const last = this.#answers.get(question);
    const { revision } = cache;
    if (last?.miss?.revision === revision && last.miss.cache.deref() === cache) return undefined;
    const search = new Search(cache, reach, pathInObject(path));
    for (const key of last?.hit === undefined ? cache.keys() : [last.hit, ...cache.keys()]) {
      const value = search.look(key);
      if (value === undefined) await slices.rest();
      else return this.#hit(question, key, value);
    }
    this.#answers.set(question, { miss: { cache: new WeakRef(cache), revision } });
    return undefined;
  }

  #hit(question: string, hit: string, value: unknown): unknown {
    this.#answers.set(question, { hit });
    return value;
  }
}

/** Looks for a path in objects. */
class Search {
  readonly #cache: Cache;
  readonly #reach: Reach;
  readonly #path: FieldPath;
  readonly #mayHave: (bytes: Buffer) => boolean;

  constructor(cache: Cache, reach: Reach, path: FieldPath) {
    this.#cache = cache;
    this.#reach = reach;
    this.#path = path;
    this.#mayHave = textTest(path);
  }

  /** The value in an object; undefined also where nobody may look. */
  look(key: string): unknown {
    const bytes = isWithin(this.#reach, key) ? this.#cache.raw(key) : undefined;
    if (bytes === undefined || !this.#mayHave(bytes)) return undefined;
    const object = this.#cache.get(key);
    return leadsSomewhere(object, this.#path) ? valueAt(object, this.#path) : undefined;
  }
}

/** Each path with the parameter that names it. */
function* pathsIn(
  { filters, fieldSelector, sort, summary }: ListQuery,
  type: ResourceType,
): Generator<readonly [string, FieldPath]> {
  for (const { field } of filters.flat()) yield ["filter", field];
  for (const { field } of selectedBy(type, fieldSelector).flat()) yield ["fieldSelector", field];
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

/** Finds the rows of a list in the cache of its type. */

import type { Filter } from "kopf-ts";
import type { Access, Reach } from "../access/access.ts";
import type { Collection, Collections } from "../collections/collection.ts";
import type { Field, Fields } from "../fields/index.ts";
import type { ObjectId } from "../inventory/inventory.ts";
import { ownerLabel, seesOwnOnly } from "../own-objects.ts";
import type { ListQuery } from "../query/list-query.ts";
import { partsOfSelector } from "../query/selectors.ts";
import { type Slices, sortedIn } from "../slices.ts";
import { selectorFor } from "../strangers.ts";
import type { ResourceType } from "../types/resource-type.ts";
import { filtersOf, sortOf } from "./filters.ts";
import { joinsOf, need } from "./joins.ts";
import { joinedOrder, type RowOrder, rowOrder } from "./orders.ts";
import { OtherTypes } from "./other-types.ts";
import { type OwnerParts, ownedBy } from "./owners.ts";
import { prefilter, type Rows } from "./pages.ts";
import { placesFilter } from "./places.ts";
import { reading } from "./problems.ts";
import { type Resolved, Resolver } from "./resolve.ts";
import { selectedBy } from "./selectable.ts";
import type { ReadValue } from "./summaries.ts";
import type { Documents } from "./told.ts";

/** What rows are found with. */
export interface FindParts extends OwnerParts {
  readonly collections: Collections;
  readonly fields: Fields;
  /** Without it, fields of built-in types beyond Steve's are those that objects have. */
  readonly openApi?: Documents | undefined;
}

/** What is asked of one type of one cluster, and by whom. */
export interface Question {
  readonly type: ResourceType;
  readonly access: Access;
  /** Of the caller. */
  readonly username: string;
  /** What the caller may list. */
  readonly reach: Reach;
  readonly namespace: string | undefined;
  readonly query: ListQuery;
  /** Undefined for a list of what anybody owns. */
  readonly owner: ObjectId | undefined;
  readonly slices: Slices;
  readonly signal: AbortSignal;
  /** Told what the answer lacks. */
  readonly warn: (text: string) => void;
}

/** The rows that a list is cut from. */
export interface FoundRows {
  readonly rows: Rows;
  readonly read: ReadValue;
  /** Fields whose values are to be counted. */
  readonly counted: readonly Field[];
  /** Whose objects were looked at besides, but for the kin of an owner. */
  readonly others: OtherTypes;
  /** By what the rows are in order, to compare them with those of others. */
  readonly order: () => RowOrder;
}

/** Finds rows; remembers of a cluster's types where fields were found. */
export class Finder {
  readonly #parts: FindParts;
  readonly #resolver: Resolver;

  constructor(parts: FindParts) {
    this.#parts = parts;
    this.#resolver = new Resolver(parts.fields, parts.openApi);
  }

  /** The fields that a query names. Throws a Problem (422) for one that is none; without a collection for one that nothing but objects could tell of. */
  understand(
    { type: asked, access, query, reach, slices }: Question,
    collection: Collection | undefined,
  ): Promise<Resolved> {
    const type = collection?.type ?? asked; // may have changed meanwhile
    return this.#resolver.resolve(query, { type, access, reach, collection, slices });
  }

  /** Throws Problems as `understand`, and for filters and owners that cannot be looked for. */
  async find(question: Question, collection: Collection): Promise<FoundRows> {
    const { query, slices, access, signal } = question;
    await slices.rest(); // many may have waited for the same cache
    const { fieldOf, fields } = await this.understand(question, collection);
    const { cache } = collection;
    const others = new OtherTypes();
    const joins = await joinsOf(fields, { access, collection, signal, others }, this.#parts);
    const { filters } = query;
    const selected = selectedBy(collection.type, query.fieldSelector);
    const asked = reading(() => filtersOf({ filters, selected }, fieldOf, joins));
    const sort = sortOf(query.sort, fieldOf);
    const counted = query.summary?.fields.map(fieldOf) ?? [];
    const sources = [...asked.sources, ...sort.sources, ...counted.map(({ texts }) => texts)];
    await need(collection, sources);
    const compare = joinedOrder(query.sort, fieldOf, joins, cache);
    const rows: Rows = {
      filters: [...(await this.#scope(question, others)), ...asked.what],
      sort: sort.what,
      sorted: compare && ((keys) => sortedIn(slices, keys, compare)),
    };
    await prefilter(cache, rows, slices);
    const read: ReadValue = (key, field) =>
      joins.get(field)?.valueOf(key) ?? String(cache.valueOf(key, field.texts.column) ?? "");
    const order = (): RowOrder => rowOrder(query.sort, fieldOf, joins, cache);
    return { rows, read, counted, others, order };
  }

  /** What limits a list whatever its filters are. */
  async #scope(question: Question, others: OtherTypes): Promise<readonly Filter[]> {
    const { type, access, namespace, query, reach, owner } = question;
    const { labelSelector: labels, places } = query;
    const scope: Filter[] = [];
    if (reach !== "all") scope.push({ within: reach });
    if (namespace !== undefined)
      scope.push({ column: "metadata.namespace", op: "=", value: namespace });
    if (labels !== undefined) scope.push(...labelFilters(selectorFor(labels, type, access)));
    if (places !== undefined)
      scope.push(await placesFilter(places, { ...question, others }, this.#parts));
    if (owner !== undefined) scope.push(await ownedBy({ ...question, owner }, this.#parts));
    return [...scope, ...ownOnly(question)];
  }
}

/** Requirements that are looked at together, each of some 40 ns for an object. */
const atOnce = 8;

/** A selector in parts, all of which have to hold; undefined for one that nothing matches. */
function labelFilters(selector: string | undefined): readonly Filter[] {
  if (selector === undefined) return [{ any: [] }];
  const requirements = partsOfSelector(selector);
  const parts: Filter[] = [];
  for (let from = 0; from < requirements.length; from += atOnce) {
    parts.push({ labels: requirements.slice(from, from + atOnce).join() });
  }
  return parts;
}

function ownOnly({ type, access, username }: Question): readonly Filter[] {
  if (!seesOwnOnly(type, access)) return [];
  return [{ column: `metadata.labels[${ownerLabel}]`, op: "=", value: username }];
}

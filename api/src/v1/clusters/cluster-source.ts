/** What is asked of one cluster when a question is put to several, and what it answers. */

import type { Caller } from "@drover/platform";
import type { Shape } from "../items/item.ts";
import type { Direction, SortValues } from "../lists/orders.ts";
import type { ListQuery } from "../query/list-query.ts";
import type { SearchQuery } from "../search/query.ts";
import type { WatchAsked } from "../subscribe/index.ts";

/** What every question has. */
interface Asked {
  readonly caller: Caller;
  /** What URLs of that cluster's objects begin with. */
  readonly base: string;
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
}

/** A list of one type. */
export interface ListQuestion extends Asked {
  /** Id or plural name. */
  readonly type: string;
  readonly namespace: string | undefined;
  /** Its revision is of this cluster. Its page, limit and cursor are not the cluster's: they count what all clusters have. */
  readonly query: ListQuery;
  readonly shape: Shape;
  /** How many rows are wanted at most, from the first on. */
  readonly most: number;
}

/** One object of a list. */
export interface ClusterRow {
  /** `namespace/name`, or the name. */
  readonly id: string;
  /** By which it is in order; empty where that is the order of ids. */
  readonly values: readonly SortValues[];
}

/** The answer to a list; its items can be had until it is disposed. */
export interface ClusterList extends Disposable {
  /** The type's id. */
  readonly resourceType: string;
  /** How many objects there are on all pages. */
  readonly total: number;
  /** Of the cluster's cache; empty where the caller can see nothing. */
  readonly revision: string;
  /** In order. */
  readonly rows: readonly ClusterRow[];
  readonly directions: readonly Direction[];
  /** What the answer lacks. */
  readonly warnings: readonly string[];
  /** The parts of an item's JSON, an object; undefined when it has gone. Rejects with the signal's reason. */
  item(row: ClusterRow, signal: AbortSignal): Promise<readonly Uint8Array[] | undefined>;
}

/** A search. */
export interface SearchQuestion extends Asked {
  readonly query: SearchQuery;
}

/** One result of a search. */
export interface RankedResult {
  /** Results of all clusters are in the order of these, the first that differ decide. */
  readonly order: readonly (number | string)[];
  readonly item: object;
}

/** The answer to a search. */
export interface ClusterSearch {
  /** The best, in order. */
  readonly results: readonly RankedResult[];
  /** How many were found of each type. */
  readonly totals: ReadonlyMap<string, number>;
  /** Types of which not everything is known yet. */
  readonly incomplete: readonly string[];
}

/** A watch of the type that the message names. What its listeners are told, events ready to be sent, says which cluster it is of. */
export interface WatchQuestion extends Asked, Omit<WatchAsked, "access" | "cluster"> {
  readonly cluster: string;
}

/** It says nothing before it is started. */
export interface ClusterWatch extends Disposable {
  start(): void;
}

/**
 * Answers for one cluster, under the rights that its own roles give the caller. Rejects with Problems that say why it cannot: 404 for a type that the caller knows nothing
 * of, whether there is one or not, 422 for what is asked wrongly, 503 while it is away; and with the signal's reason.
 */
export interface ClusterSource {
  list(question: ListQuestion): Promise<ClusterList>;
  search(question: SearchQuestion): Promise<ClusterSearch>;
  /** Calls the listener whenever types, or the caller's rights, have changed there, until disposed: who was refused may ask again. */
  onChange(caller: Caller, listener: () => void): Disposable;
  /** The watch ends when it is disposed, or of itself, which it tells: when the type or the rights change, or too much was missed. Then it may be asked for anew. */
  watch(question: WatchQuestion): Promise<ClusterWatch>;
}

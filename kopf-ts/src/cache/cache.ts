/** What readers see of a cache. */

import type { Kind, KubeObject } from "../kube/index.ts";
import type { WatchState } from "../watch/index.ts";
import type { WaitOptions } from "./barrier.ts";
import type { Value } from "./columns/condition.ts";
import type { Labels } from "./columns/selector.ts";
import type { HistoryLimits, PastChange } from "./history.ts";
import type { Listener } from "./listeners.ts";
import type { Filter } from "./query/filter.ts";
import type { Query, QueryResult, Sort } from "./query/query.ts";

/** What a listener is told beside changes to come. */
export interface SubscribeOptions {
  /** Also tell what is there already, as initial ADDED changes, in the background. */
  readonly replay?: boolean;
}

/** Disposing it ends it. */
export interface Subscription extends Disposable {
  /** Resolves when everything was replayed; at once without `replay`. */
  readonly replayed: Promise<void>;
}

/** What a cache holds. Bytes are outside the heap, unless said otherwise. */
export interface CacheStats {
  readonly objects: number;
  /** Of JSON. */
  readonly bytes: number;
  /** Of the buffers that hold it. */
  readonly allocated: number;
  /** Of managedFields that are kept apart. */
  readonly cold: number;
  readonly columns: number;
  /** Sort orders kept. */
  readonly orders: number;
  /** Objects that are no JSON. */
  readonly malformed: number;
  /** Everything together, with what is in the heap as far as it is known: some 200 bytes per object beside what is told above. */
  readonly total: number;
}

/**
 * Read side of the objects of one kind. Objects are shared and deeply read-only: never change one. A cache is behind the server by the time
 * an event takes; it never goes back, except to the state of a server that was itself restored from a backup
 * (watch/README.md). Reads are synchronous, and consistent with each other until the caller
 * awaits something.
 */
export interface Cache<T extends KubeObject = KubeObject> {
  readonly kind: Kind<T>;
  readonly size: number;
  /** How far it has come; empty before the first list. */
  readonly resourceVersion: string;
  /** Another number each time the server turns out to have gone back (it was restored from a backup): resourceVersions of different timelines cannot be compared. */
  readonly timeline: number;
  /** A number for all objects as they are, another one after each change of one, whatever told of it; `resourceVersion` moves without changes as well. */
  readonly revision: number;
  /** Whether the first list is complete. */
  readonly synced: boolean;
  /** Whether the watch that fills it lists, is live or is degraded (and why). */
  readonly watchState: WatchState;
  readonly stats: CacheStats;

  /** Undefined when there is none, when its bytes are no JSON, and where only columns are kept. The same object until its state changes, mostly. */
  get(key: string): T | undefined;
  has(key: string): boolean;
  keys(): Iterable<string>;
  /** Parses what is not parsed yet, some 20 microseconds per object: for thousands of objects take `query`, or `keys` and pauses. */
  list(options?: { readonly namespace?: string | undefined }): readonly T[];
  /** Throws for an index that was not added. */
  byIndex(index: string, value: string): readonly T[];
  keysByIndex(index: string, value: string): readonly string[];

  /** The bytes without managedFields; they never change, but up to 1 MiB stay in memory with them: do not keep them. */
  raw(key: string): Buffer | undefined;
  /** The bytes as the server sent them; where managedFields are dropped, the same as `raw`. */
  rawWithManagedFields(key: string): Buffer | undefined;
  /** What `raw` lacks: `"managedFields":[...]`, without a comma at either end. Undefined where there are none, or they are dropped; not to be kept, like `raw`. */
  managedFields(key: string): Buffer | undefined;
  /** A number for what `raw` returns, another one for each state of each object of this cache: as long as it is the same, so are the bytes. */
  stateOf(key: string): number | undefined;
  resourceVersionOf(key: string): string | undefined;
  uidOf(key: string): string | undefined;
  /** Its labels, without parsing the object; empty when there is none. */
  labelsOf(key: string): Labels;
  /** The value in a column; an integer that a double would round is a bigint. */
  valueOf(key: string, column: string): Value | undefined;

  /** Throws for a column that was not added, SelectorError for a selector that is none. */
  query(query: Query): QueryResult;
  /**
   * Resolves when the cache has the sort order (by id unless told) at hand, which it makes in the background: then any page is read off it. Without,
   * the first query in an order selects its page from all rows: milliseconds for the first pages, up to 300 for all keys of 100,000 objects.
   * Rejects as `query` throws.
   */
  prepare(sort?: readonly Sort[]): Promise<void>;
  /**
   * Resolves when the cache has read what a filter asks of labels, in the background. Without, the first query that asks it reads each distinct set of labels at once:
   * some 2 microseconds each, 200 ms for 100,000 objects that all have others. Rejects with SelectorError.
   */
  prepareFilter(filter: Filter): Promise<void>;
  /** How many objects each value of a keyword column has (`metadata.namespace` too). */
  counts(column: string): ReadonlyMap<string, number>;

  subscribe(listener: Listener<T>, options?: SubscribeOptions): Subscription;
  /** Tells what an index has under a value, once, as initial ADDED changes in the background, at the cost of that alone. Throws as `byIndex`. */
  replay(listener: Listener<T>, index: string, value: string): Subscription;
  /**
   * The changes after a resourceVersion, oldest first; undefined when it is too old (or no history is kept): read everything anew. Who has followed the cache tells on which
   * timeline they came that far, and gets undefined when it has ended; without, the revision is taken for one of the present timeline.
   */
  changesSince(resourceVersion: string, timeline?: number): readonly PastChange[] | undefined;
  /** Keeps changes from now on for `changesSince`; the larger limits win. */
  keepHistory(limits?: HistoryLimits): void;

  /** Rejects with the signal's reason, or when the cache is disposed first. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  /** True once everything up to the resourceVersion is in; false after the timeout (5 s unless told) or when the cache is disposed. */
  waitFor(resourceVersion: string, options?: WaitOptions): Promise<boolean>;
}

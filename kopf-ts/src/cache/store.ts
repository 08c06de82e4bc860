import { type Clock, Latch, type Logger, silentLogger, systemClock } from "../base/index.ts";
import type { KubeObject } from "../kube/index.ts";
import { type Kind, resourceName } from "../kube/index.ts";
import type { ChangeType, ScannedObject, WatchSink, WatchState } from "../watch/index.ts";
import { Background, type Job, type Steps } from "./background.ts";
import { Barrier, type WaitOptions } from "./barrier.ts";
import type { Cache, CacheStats, SubscribeOptions, Subscription } from "./cache.ts";
import { StoreChange } from "./change.ts";
import type { ColumnSpec } from "./columns/column.ts";
import type { Value } from "./columns/condition.ts";
import type { Labels } from "./columns/selector.ts";
import { Contents } from "./contents.ts";
import type { DocumentOptions } from "./documents.ts";
import { defaultHistory, History, type HistoryLimits, type PastChange } from "./history.ts";
import type { IndexFunction } from "./indexes.ts";
import { Ingest } from "./ingest.ts";
import { type Listener, Listeners } from "./listeners.ts";
import { type Filter, readings } from "./query/filter.ts";
import { answer, type Query, type QueryResult, rowsIn, type Sort } from "./query/query.ts";

/** Options of a Store. */
export interface StoreOptions extends DocumentOptions {
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
  /** Shared by the stores of a process; one of its own unless told. */
  readonly background?: Background | undefined;
  /** `columns` drops the bytes once the columns have their values: for queries and counts over what is never read. See `keepBytes`. */
  readonly keep?: "objects" | "columns" | undefined;
  /** `cold` keeps managedFields, packed, for `managedFields` and `rawWithManagedFields`; dropped unless told. */
  readonly managedFields?: "drop" | "cold" | undefined;
  /** Called when the watch that fills it changes its state. */
  readonly onState?: ((state: WatchState) => void) | undefined;
  /** Called when somebody begins to wait for a resourceVersion. */
  readonly onWait?: (() => void) | undefined;
}

/**
 * Holds the objects of one kind as raw bytes outside the heap; a watch fills it through the WatchSink side. Guarantees: a list tells exactly
 * what differs; objects that are not in it become DELETED, a list that breaks off deletes nothing; an object that went and came back under
 * its name is told as DELETED and ADDED; a change older than what is held, or told twice, is ignored; a listener, column or index function
 * that throws, and an object that is no JSON, harm nothing else. What takes more than a few milliseconds happens in the background. Memory
 * per object: its bytes without managedFields times 1 to 2 (garbage until it is evacuated), 60 to 75 bytes outside the heap and 125 in it.
 */
export class Store<T extends KubeObject = KubeObject> implements WatchSink, Cache<T> {
  readonly kind: Kind<T>;
  readonly #clock: Clock;
  readonly #background: Background;
  readonly #contents: Contents<T>;
  readonly #listeners: Listeners<T>;
  readonly #barrier: Barrier;
  readonly #ingest: Ingest<T>;
  readonly #replays = new Set<Job>();
  readonly #firstList = new Latch();
  #disposed = false;

  constructor(kind: Kind<T>, options: StoreOptions = {}) {
    const { clock = systemClock } = options;
    const logger = (options.logger ?? silentLogger).child({ resource: resourceName(kind) });
    this.kind = kind;
    this.#clock = clock;
    this.#background = options.background ?? new Background(logger);
    const parts = { background: this.#background, clock, logger };
    this.#contents = new Contents(kind, { ...options, ...parts });
    this.#listeners = new Listeners(logger);
    this.#barrier = new Barrier(clock, () => options.onWait?.());
    this.#ingest = new Ingest({
      ...parts,
      contents: this.#contents,
      listeners: this.#listeners,
      barrier: this.#barrier,
      onSynced: () => this.#firstList.open(),
      onState: (state) => options.onState?.(state),
    });
  }

  begin(): void {
    if (!this.#disposed) this.#ingest.begin();
  }
  item(object: ScannedObject): void {
    if (!this.#disposed) this.#ingest.item(object);
  }
  end(resourceVersion: string): void {
    if (!this.#disposed) this.#ingest.end(resourceVersion);
  }
  change(type: ChangeType, object: ScannedObject): void {
    if (!this.#disposed) this.#ingest.change(type, object);
  }
  bookmark(resourceVersion: string): void {
    if (!this.#disposed) this.#ingest.bookmark(resourceVersion);
  }
  /** The watch tells its state; readers read `watchState`. */
  state(state: WatchState): void {
    if (!this.#disposed) this.#ingest.state(state);
  }

  get watchState(): WatchState {
    return this.#ingest.watchState;
  }
  get size(): number {
    return this.#contents.records.rows.size;
  }
  get resourceVersion(): string {
    return this.#barrier.reached;
  }
  get revision(): number {
    return this.#contents.revision;
  }
  get synced(): boolean {
    return this.#ingest.synced;
  }
  get stats(): CacheStats {
    const { stats } = this.#contents;
    return { ...stats, malformed: stats.malformed + this.#ingest.unreadable };
  }
  /** Whether anybody waits for a resourceVersion. */
  get isAwaited(): boolean {
    return this.#barrier.isAwaited;
  }
  /** Whether bytes are kept of what comes now. */
  get keepsBytes(): boolean {
    return this.#contents.keeping.keeps;
  }
  /** Whether all objects have their bytes. */
  get hasBytes(): boolean {
    return this.#contents.keeping.isComplete;
  }
  /** Resolves when all objects have their bytes; when that is given up, too. */
  get complete(): Promise<void> {
    return this.#contents.keeping.complete;
  }
  /** Resolves when a list that has yet to begin is complete, or when the store is disposed. */
  get listed(): Promise<void> {
    return this.#ingest.listed;
  }
  /** Milliseconds since the last complete list; infinite before the first. */
  get sinceList(): number {
    return this.#clock.monotonic() - this.#ingest.listedAt;
  }
  /** Milliseconds since the server last told anything. */
  get age(): number {
    return this.#clock.monotonic() - this.#ingest.told;
  }

  get(key: string): T | undefined {
    return this.#contents.object(this.#find(key));
  }

  has(key: string): boolean {
    return this.#find(key) >= 0;
  }

  keys(): Iterable<string> {
    return this.#contents.records.rows.keys();
  }

  list(options: { readonly namespace?: string | undefined } = {}): readonly T[] {
    const { records, columns } = this.#contents;
    return this.#objects(rowsIn(records.rows, columns, options.namespace));
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.#objects(this.#contents.indexes.find(index, value));
  }

  keysByIndex(index: string, value: string): readonly string[] {
    return this.#keysOf(this.#contents.indexes.find(index, value));
  }

  raw(key: string): Buffer | undefined {
    const row = this.#find(key);
    return row < 0 ? undefined : this.#contents.records.read(row);
  }

  rawWithManagedFields(key: string): Buffer | undefined {
    const row = this.#find(key);
    return row < 0 ? undefined : this.#contents.whole(row);
  }

  managedFields(key: string): Buffer | undefined {
    const row = this.#find(key);
    return row < 0 ? undefined : this.#contents.managedFields(row);
  }

  stateOf(key: string): number | undefined {
    const row = this.#find(key);
    return row < 0 ? undefined : this.#contents.records.stateOf(row);
  }

  resourceVersionOf(key: string): string | undefined {
    const row = this.#find(key);
    return row < 0 ? undefined : this.#contents.records.resourceVersions.get(row);
  }

  uidOf(key: string): string | undefined {
    const row = this.#find(key);
    return row < 0 ? undefined : this.#contents.records.uids.get(row);
  }

  labelsOf(key: string): Labels {
    const row = this.#find(key);
    return row < 0 ? {} : this.#contents.columns.labels.get(row);
  }

  valueOf(key: string, column: string): Value | undefined {
    const row = this.#find(key);
    return row < 0 ? undefined : this.#contents.columns.get(row, column);
  }

  query(query: Query): QueryResult {
    const { records, masks, orders } = this.#contents;
    this.#contents.queried = this.#clock.monotonic();
    const { rows, total } = answer(query, { rows: records.rows, masks, orders });
    records.rows.expect(rows);
    return { keys: this.#keysOf(rows), total, resourceVersion: this.resourceVersion };
  }

  async prepare(sort: readonly Sort[] = []): Promise<void> {
    await this.#contents.orders.prepare(sort);
  }

  async prepareFilter(filter: Filter): Promise<void> {
    const left = readings(filter, this.#contents.columns).filter(
      (steps) => steps.next().done !== true,
    );
    await Promise.all(left.map((steps) => this.#background.run(steps).done));
  }

  counts(column: string): ReadonlyMap<string, number> {
    return this.#contents.columns.counts(column);
  }

  subscribe(listener: Listener<T>, { replay = false }: SubscribeOptions = {}): Subscription {
    const subscription = this.#listeners.add(listener);
    if (!replay) return { replayed: Promise.resolve(), ...subscription };
    const replaying = this.#startReplay(this.#replay(listener));
    return {
      replayed: replaying.replayed,
      [Symbol.dispose]: () => {
        subscription[Symbol.dispose]();
        replaying[Symbol.dispose]();
      },
    };
  }

  replay(listener: Listener<T>, index: string, value: string): Subscription {
    const keys = this.keysByIndex(index, value);
    return this.#startReplay(this.#replayKeys(keys, listener, index, value));
  }

  get timeline(): number {
    return this.#ingest.timeline;
  }

  changesSince(resourceVersion: string, timeline?: number): readonly PastChange[] | undefined {
    return this.#ingest.changesSince(resourceVersion, timeline);
  }

  keepHistory(limits: HistoryLimits = defaultHistory): void {
    if (this.#disposed) return;
    if (!this.keepsBytes) throw new Error("a cache that keeps columns only has no history");
    this.#ingest.history?.widen(limits);
    this.#ingest.history ??= new History(
      this.#contents.records.slabs,
      limits,
      this.synced ? this.resourceVersion : undefined,
    );
  }

  /** Keeps bytes from now on. Those of what is there already come with the next list, which changes nothing else. */
  keepBytes(): void {
    if (!this.#disposed) this.#contents.keepBytes();
  }

  /** Lets go of all bytes and of the history; columns and indexes stay and follow what changes. Not for listeners: what others are told would be gone. */
  dropBytes(): void {
    this.#ingest.history?.reset(undefined);
    this.#ingest.history = undefined;
    this.#contents.dropBytes();
  }

  /** Adds columns; resolves when queries can use them. A column with the name of another one throws. */
  addColumns(columns: readonly ColumnSpec<T>[]): Promise<void> {
    return this.#contents.addColumns(columns as readonly ColumnSpec[]);
  }

  /** Takes back columns that were added as often as they were added. */
  releaseColumns(names: readonly string[]): void {
    this.#contents.releaseColumns(names);
  }

  /** Adds an index; resolves when `byIndex` can be asked. The same function may be added more than once under its name. */
  addIndex(name: string, fn: IndexFunction<T>): Promise<void> {
    return this.#contents.addIndex(name, fn);
  }

  /** Takes back an index. */
  releaseIndex(name: string): void {
    this.#contents.indexes.release(name);
  }

  /** Puts right what no change told, as a live read found it; undefined for an object that is no more. */
  heal(key: string, object: ScannedObject | undefined): void {
    if (!this.#disposed) this.#ingest.heal(key, object);
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#firstList.wait(signal);
  }

  waitFor(resourceVersion: string, options: WaitOptions = {}): Promise<boolean> {
    if (this.#disposed) return Promise.resolve(false);
    return this.#barrier.wait(resourceVersion, options);
  }

  /** Lets go of every byte, timer and listener. Who waits is told so, what the watch still tells is ignored. Twice is harmless. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    for (const job of this.#replays) job.cancel();
    this.#ingest.dispose();
    this.#listeners.clear();
    this.#barrier.close();
    this.#contents.dispose();
    this.#firstList.fail(new Error(`the cache of ${resourceName(this.kind)} was disposed`));
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #find(key: string): number {
    return this.#contents.records.rows.find(key);
  }

  #keysOf(rows: Iterable<number>): readonly string[] {
    const keys: string[] = [];
    for (const row of rows) keys.push(this.#contents.records.rows.keyOf(row));
    return keys;
  }

  #objects(rows: Iterable<number>): readonly T[] {
    const objects: T[] = [];
    for (const row of rows) {
      const object = this.#contents.object(row);
      if (object !== undefined) objects.push(object);
    }
    return objects;
  }

  #startReplay(steps: Steps): Subscription {
    const job = this.#background.run(steps);
    this.#replays.add(job);
    const replayed = job.done.then(() => void this.#replays.delete(job));
    return { replayed, [Symbol.dispose]: () => job.cancel() };
  }

  *#replay(listener: Listener<T>): Steps {
    const { records } = this.#contents;
    for (let row = 0; row < records.rows.end; row++) {
      if (!records.rows.isAlive(row)) continue;
      this.#tellAgain(row, listener);
      yield;
    }
  }

  /** By keys, since a row may hold another object at the next step. */
  *#replayKeys(
    keys: readonly string[],
    listener: Listener<T>,
    ...[index, value]: readonly [index: string, value: string]
  ): Steps {
    const { indexes } = this.#contents;
    for (const key of keys) {
      const row = this.#find(key);
      if (row >= 0 && indexes.has(index, value, row)) this.#tellAgain(row, listener);
      yield;
    }
  }

  #tellAgain(row: number, listener: Listener<T>): void {
    const key = this.#contents.records.rows.keyOf(row);
    const parts = { type: "ADDED", key, row, object: undefined, initial: true } as const;
    this.#listeners.tellOne(listener, new StoreChange(this.#contents, parts));
  }
}

import { type Clock, type Logger, messageOf } from "../base/index.ts";
import type { KubeObject } from "../kube/index.ts";
import {
  type ChangeType,
  compareResourceVersions,
  type ScannedObject,
  type WatchSink,
  type WatchState,
} from "../watch/index.ts";
import type { Background, Job, Steps } from "./background.ts";
import type { Barrier } from "./barrier.ts";
import { StoreChange } from "./change.ts";
import type { Before, Contents } from "./contents.ts";
import { type Facts, keyOf, readFacts } from "./facts.ts";
import type { History, PastChange } from "./history.ts";
import type { Listeners } from "./listeners.ts";

/** More deletions than this after a list happen in the background. */
const SWEPT_AT_ONCE = 500;

/** What Ingest works on. */
export interface IngestParts<T extends KubeObject> {
  readonly contents: Contents<T>;
  readonly listeners: Listeners<T>;
  readonly barrier: Barrier;
  readonly background: Background;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onSynced: () => void;
  readonly onState: (state: WatchState) => void;
}

/** How an object stands to what is held under its key. */
interface Known {
  readonly key: string;
  readonly resourceVersion: string;
  /** -1 when nothing is held. */
  readonly row: number;
  readonly same: boolean;
  readonly older: boolean;
}

/**
 * Turns the stream of a watch into the contents of a cache: a list marks what it sees and sweeps the rest, a change changes one object. Tells
 * listeners what differs, and nothing else.
 */
export class Ingest<T extends KubeObject> implements WatchSink {
  readonly #parts: IngestParts<T>;
  history: History | undefined;
  watchState: WatchState = { phase: "listing" };
  /** When the server last told anything, by the monotonic clock. */
  told: number;
  /** Objects that were left out because they cannot be read. */
  unreadable = 0;
  /** When the last list was complete, by the monotonic clock. */
  listedAt: number = Number.NEGATIVE_INFINITY;
  #synced = false;
  #listing = false;
  #disposed = false;
  /** For those who wait for a list that has not begun. */
  #next: PromiseWithResolvers<void> | undefined;
  /** Those who wait for the list in progress, or for the one after it should it break off. */
  readonly #awaiting: (() => void)[] = [];
  /** The list also gives rows the bytes and columns the values they could not get otherwise. */
  #refills = false;
  /** Something was told that history does not have: a list or its sweep found it. */
  #gap = false;
  /** The server uses resourceVersions again that it gave to other states: until the next list is complete they say nothing. */
  #restored = false;
  /** The list that was complete last is of an earlier state than what was told before. */
  #back = false;
  #timeline = 0;
  #sweep: Job | undefined;
  /** Where the cache will stand when the sweep is through. */
  #ahead = "";

  constructor(parts: IngestParts<T>) {
    this.#parts = parts;
    this.told = parts.clock.monotonic();
  }

  get synced(): boolean {
    return this.#synced;
  }

  /** Resolves when a list that has yet to begin is complete, or when there will be none. */
  get listed(): Promise<void> {
    if (this.#disposed) return Promise.resolve();
    this.#next ??= Promise.withResolvers();
    return this.#next.promise;
  }

  begin(): void {
    if (this.#next !== undefined) this.#awaiting.push(this.#next.resolve);
    this.#next = undefined;
    this.#sweep?.cancel();
    this.#sweep = undefined;
    this.#listing = true;
    this.#parts.contents.records.beginMarking();
    this.#refills = this.#parts.contents.beginList();
  }

  item(object: ScannedObject): void {
    const known = this.#known(object);
    if (known === undefined) return;
    const { contents } = this.#parts;
    const { key, row, same } = known;
    if (row >= 0) contents.records.mark(row);
    if (!same) {
      this.#put(row, key, object);
    } else if (this.#refills) {
      contents.refill(row, object);
    }
  }

  end(resourceVersion: string): void {
    const { records } = this.#parts.contents;
    this.told = this.#parts.clock.monotonic();
    this.listedAt = this.told;
    this.#listing = false;
    this.#ahead = resourceVersion;
    const { reached } = this.#parts.barrier;
    this.#back ||= this.#restored || compareResourceVersions(resourceVersion, reached) < 0;
    this.#restored = false;
    if (records.unmarked > SWEPT_AT_ONCE) {
      this.#gap = true; // from now on, not from the first step
      this.#sweep = this.#parts.background.run(this.#sweeping());
      return;
    }
    for (const _ of this.#unmarked());
    this.#settle();
  }

  change(type: ChangeType, object: ScannedObject): void {
    this.told = this.#parts.clock.monotonic();
    const known = this.#known(object);
    if (known === undefined) return;
    const { key, resourceVersion, row, same, older } = known;
    if (type === "DELETED" && !older) this.#delete(row, object);
    if (type !== "DELETED" && !older && !same) this.#put(row, key, object);
    this.#advance(resourceVersion);
  }

  get timeline(): number {
    return this.#timeline;
  }

  /** What was told after a resourceVersion; undefined when that is not all known, or not yet: a list in progress may have told some of it. */
  changesSince(
    resourceVersion: string,
    timeline: number = this.#timeline,
  ): readonly PastChange[] | undefined {
    if (this.#gap || timeline !== this.#timeline) return undefined;
    return this.history?.since(resourceVersion);
  }

  bookmark(resourceVersion: string): void {
    this.told = this.#parts.clock.monotonic();
    this.#parts.contents.trim();
    this.#advance(resourceVersion);
  }

  state(state: WatchState): void {
    this.watchState = state;
    if (state.phase === "degraded" && state.reason === "Restored") this.#restored = true;
    this.#parts.onState(state);
  }

  /** Puts right what no change told, as a live read found it; undefined for an object that is no more. Throws for another object than that. */
  heal(key: string, object: ScannedObject | undefined): void {
    if (object !== undefined && keyOf(object.namespace, object.name) !== key) {
      throw new Error(`the object that was read is not ${key}`);
    }
    const row = this.#parts.contents.records.rows.find(key);
    this.#gap = true;
    if (object === undefined) this.#delete(row, undefined);
    else this.#put(row, key, object);
  }

  dispose(): void {
    this.#disposed = true;
    this.#sweep?.cancel();
    this.history?.reset(undefined);
    this.#next?.resolve();
    this.#tellAwaiting();
  }

  /** How an object stands to what is held; undefined for one that cannot be read, and then nothing else is lost. */
  #known(object: ScannedObject): Known | undefined {
    const { rows, resourceVersions } = this.#parts.contents.records;
    try {
      const key = keyOf(object.namespace, object.name);
      const row = rows.find(key);
      const { resourceVersion } = object;
      const isHeld = row >= 0 && !this.#awaitsSweep(row);
      const same = isHeld && this.#isSame(row, object);
      const older = isHeld && resourceVersions.isNewer(row, resourceVersion);
      return { key, resourceVersion, row, same, older };
    } catch (error) {
      this.#unreadable("", error);
      return undefined;
    }
  }

  /** What the list did not have may have been made anew since, under any version. */
  #awaitsSweep(row: number): boolean {
    return this.#sweep !== undefined && !this.#parts.contents.records.isMarked(row);
  }

  /** An empty version says nothing, nor does any version of a server that was restored: what comes so may be anything but the same bytes. */
  #isSame(row: number, object: ScannedObject): boolean {
    const { records } = this.#parts.contents;
    const { resourceVersion } = object;
    if (resourceVersion !== "" && !records.resourceVersions.is(row, resourceVersion)) return false;
    const isTelling = resourceVersion !== "" && !this.#restored && !this.#back;
    return isTelling || records.holds(row, object);
  }

  #put(row: number, key: string, object: ScannedObject): void {
    const facts = this.#facts(key, object);
    if (facts === undefined) return;
    if (row >= 0 && this.#parts.contents.records.uids.is(row, facts.uid)) {
      this.#modify(row, facts, object);
      return;
    }
    this.#delete(row, undefined);
    if (!this.#disposed) this.#add(facts, object); // a listener may have done it
  }

  #facts(key: string, object: ScannedObject): Facts | undefined {
    try {
      return readFacts(object);
    } catch (error) {
      this.#unreadable(key, error);
      return undefined;
    }
  }

  #unreadable(key: string, error: unknown): void {
    this.unreadable++;
    const fields = { key, error: messageOf(error) };
    this.#parts.logger.error("left out an object that cannot be read", fields);
  }

  #add(facts: Facts, object: ScannedObject): void {
    const { contents } = this.#parts;
    const { key, resourceVersion } = facts;
    const row = contents.add(facts, object);
    contents.records.mark(row);
    this.#record("ADDED", key, resourceVersion, contents.records.handleOf(row), -1);
    this.#tell({ type: "ADDED", key, row, object });
  }

  #modify(row: number, facts: Facts, object: ScannedObject): void {
    const { contents } = this.#parts;
    const { key, resourceVersion } = facts;
    const previousResourceVersion = contents.records.resourceVersions.get(row);
    const before = contents.replace(row, facts, object);
    contents.records.mark(row);
    this.#record("MODIFIED", key, resourceVersion, contents.records.handleOf(row), before.handle);
    this.#tell({ type: "MODIFIED", key, row, object, before, previousResourceVersion });
    contents.release(before.handle);
  }

  /** `last` is the object's last state when the server told it. */
  #delete(row: number, last: ScannedObject | undefined): void {
    if (row < 0) return;
    const { contents } = this.#parts;
    const { records } = contents;
    const key = records.rows.keyOf(row);
    const previousResourceVersion = records.resourceVersions.get(row);
    const before = contents.remove(row);
    const resourceVersion = last?.resourceVersion ?? previousResourceVersion;
    if (last === undefined || this.history === undefined) {
      this.#record("DELETED", key, resourceVersion, before.handle, -1);
    } else {
      const handle = records.store(last);
      this.#record("DELETED", key, resourceVersion, handle, -1);
      records.release(handle);
    }
    this.#tell({ type: "DELETED", key, row: -1, object: last, before, previousResourceVersion });
    contents.release(before.handle);
  }

  #tell(change: {
    readonly type: ChangeType;
    readonly key: string;
    readonly row: number;
    readonly object: ScannedObject | undefined;
    readonly before?: Before<T> & { readonly labelsChanged?: boolean };
    readonly previousResourceVersion?: string;
  }): void {
    const { contents, listeners } = this.#parts;
    if (listeners.size === 0) return;
    const told = new StoreChange(contents, { ...change, initial: this.#listing && !this.#synced });
    listeners.tell(told);
    told.close();
  }

  #record(
    type: ChangeType,
    key: string,
    resourceVersion: string,
    object: number,
    previous: number,
  ): void {
    this.#gap ||= this.#listing || this.#sweep !== undefined;
    if (this.#gap || object < 0) return;
    this.history?.append({ type, key, resourceVersion, object, previous });
  }

  /** Deletes what the list did not have. */
  *#unmarked(): Steps {
    const { records } = this.#parts.contents;
    for (let row = 0; row < records.rows.end; row++) {
      if (!records.rows.isAlive(row) || records.isMarked(row)) continue;
      this.#gap = true;
      this.#delete(row, undefined);
      yield;
    }
  }

  *#sweeping(): Steps {
    yield* this.#unmarked();
    this.#sweep = undefined;
    this.#settle();
  }

  /** The list and what it swept are through. */
  #settle(): void {
    if (this.#disposed) return;
    const { contents, onSynced } = this.#parts;
    contents.settle();
    if (this.#back) this.#turn();
    else this.#reach(this.#ahead);
    this.#tellAwaiting();
    if (this.#synced) return;
    this.#synced = true;
    onSynced();
  }

  /** What was told before is not what led here: from now on it is another timeline's. */
  #turn(): void {
    this.#back = false;
    this.#timeline++;
    this.#parts.barrier.reach(this.#ahead);
    this.#beginHistory();
  }

  #tellAwaiting(): void {
    for (const resolve of this.#awaiting.splice(0)) resolve();
  }

  /** A gap ends where the cache moves on: who came to where it stood may have been there before what was found since. */
  #reach(resourceVersion: string): void {
    const { barrier } = this.#parts;
    const moved = barrier.reached !== resourceVersion;
    barrier.reach(resourceVersion);
    if (moved && (this.#gap || !this.#synced)) this.#beginHistory();
  }

  /** All is known from where the cache stands. */
  #beginHistory(): void {
    this.#gap = false;
    this.history?.reset(this.#parts.barrier.reached);
  }

  /** Within a list nothing is known to be complete up to anywhere: its end says where it is. */
  #advance(resourceVersion: string): void {
    const { barrier } = this.#parts;
    if (this.#listing) return;
    if (this.#sweep !== undefined) {
      if (compareResourceVersions(resourceVersion, this.#ahead) > 0) this.#ahead = resourceVersion;
    } else if (compareResourceVersions(resourceVersion, barrier.reached) > 0) {
      this.#reach(resourceVersion);
    }
  }
}

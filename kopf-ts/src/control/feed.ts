/** Tells which keys have to run, from the first list on. */

import type { Logger } from "../base/index.ts";
import type { CacheChange, Subscription } from "../cache/index.ts";
import type { KubeObject } from "../kube/index.ts";
import { priorities } from "../queue/index.ts";
import type { Place } from "./context.ts";
import type { Controller, Related } from "./controller.ts";
import { LateSubscription } from "./late-subscription.ts";
import { setsOf } from "./sets.ts";
import type { SeenSource, Sources } from "./sources.ts";
import { isWorthARun, ownerKeys, relatedKeys } from "./triggers.ts";

/** Who is told. */
export interface KeySink {
  /** The key has to run. `version` is the resourceVersion behind it, undefined where it cannot be a run's own write. */
  changed(key: string, priority: number, version: string | undefined): void;
  /** The object of the key was deleted; `changed` follows. */
  deleted(key: string): void;
}

/** Where a feed tells what. */
export interface FeedOptions {
  readonly sink: KeySink;
  /** Told when a function of the declaration throws. */
  readonly log: Logger;
  readonly place: Place;
}

/**
 * Subscribes to every source of a controller; disposing it ends that. Related kinds are heard once every cache holds its first list and every
 * index can be asked, for mappings read them: asked earlier they would throw, or miss keys. What changes until then is told then.
 */
export class Feed<T extends KubeObject> implements Disposable {
  readonly #controller: Controller<T>;
  readonly #sources: Sources<T>;
  readonly #sink: KeySink;
  readonly #log: Logger;
  readonly #place: Place;
  /** Ends the wait for the caches. */
  readonly #over = new AbortController();
  readonly #subscriptions: readonly Subscription[];

  constructor(controller: Controller<T>, sources: Sources<T>, { sink, log, place }: FeedOptions) {
    this.#controller = controller;
    this.#sources = sources;
    this.#sink = sink;
    this.#log = log;
    this.#place = place;
    this.#subscriptions = this.#subscribe();
  }

  /** Resolves when everything that was there before has been told, so not before the sources are synced; rejects as they do. */
  get complete(): Promise<unknown> {
    return Promise.all(this.#subscriptions.map(({ replayed }) => replayed));
  }

  [Symbol.dispose](): void {
    this.#over.abort();
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
  }

  #subscribe(): readonly Subscription[] {
    const { primary, owned, related } = this.#sources;
    return [
      primary.view.subscribe((change) => this.#onChange(change)),
      ...owned.map((source) => source.view.subscribe(this.#told(source, this.#owners(source)))),
      ...this.#late(related),
    ];
  }

  #late(related: Sources["related"]): readonly Subscription[] {
    if (related.length === 0) return [];
    const after = this.#sources.synced(this.#over.signal);
    const options = { after, catchUp: this.#tellsInitial };
    return related.map((source) => {
      const told = this.#told(source, this.#mapped(source.related));
      return new LateSubscription(source.view, told, options);
    });
  }

  /**
   * What was there from the start adds nothing to the list of the objects themselves, except for objects that are gone, and for those whose own
   * first sight is not worth a run: what changed while no process ran is told by nothing else.
   */
  get #tellsInitial(): boolean {
    const { gone, when } = this.#controller;
    return gone !== undefined || when !== undefined;
  }

  #owners({ owned, side }: Sources["owned"][number]): KeysOf {
    const { watches } = this.#controller;
    const owner = { kind: watches, sets: setsOf(this.#controller, side, this.#place.cluster) };
    return (change) => ownerKeys(owned, owner, change);
  }

  #mapped(related: Related): KeysOf {
    const mapping = { cache: this.#sources.cache, place: this.#place };
    return (change) => relatedKeys(related, mapping, change);
  }

  #onChange(change: CacheChange<T>): void {
    if (!this.#isWorthARun(change)) return;
    const { key } = change;
    if (change.type === "DELETED") this.#sink.deleted(key);
    this.#sink.changed(key, priorityOf(change), this.#versionOf(change, this.#sources.primary));
  }

  /** In doubt a change is worth a run: one that is missed never comes again. */
  #isWorthARun(change: CacheChange<T>): boolean {
    try {
      return isWorthARun(this.#controller, change);
    } catch (error) {
      this.#log.error("a predicate failed; running the key", { key: change.key, error });
      return true;
    }
  }

  /** A listener for changes of other kinds. */
  #told(
    source: Pick<SeenSource, "informer" | "side">,
    keysOf: KeysOf,
  ): (change: CacheChange) => void {
    return (change) => {
      if (change.initial && !this.#tellsInitial) return;
      const version = this.#versionOf(change, source);
      const keys = this.#keys(change, keysOf);
      for (const key of keys) this.#sink.changed(key, priorityOf(change), version);
    };
  }

  #keys(change: CacheChange, keysOf: KeysOf): Iterable<string> {
    try {
      return keysOf(change);
    } catch (error) {
      this.#log.error("a mapping failed; its keys are not run", { key: change.key, error });
      return [];
    }
  }

  /** A list shows only the last of several changes, so what it finds may be more than what a run itself wrote. */
  #versionOf(
    { type, resourceVersion }: Pick<CacheChange, "type" | "resourceVersion">,
    { informer, side }: Pick<SeenSource<never>, "side"> & { readonly informer: Watched },
  ): string | undefined {
    if (type === "DELETED" || informer.cache.watchState.phase !== "live") return undefined;
    return this.#sources.server(side) + resourceVersion;
  }
}

/** Keys that a change concerns. */
type KeysOf = (change: CacheChange) => Iterable<string>;

/** What is told by a watch. */
interface Watched {
  readonly cache: { readonly watchState: { readonly phase: string } };
}

function priorityOf({ initial }: CacheChange): number {
  return initial ? priorities.initialList : priorities.user;
}

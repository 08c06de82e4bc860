/** Tells which keys have to run, from the first list on. */

import type { Logger } from "../base/index.ts";
import type { CacheChange, Subscription } from "../cache/index.ts";
import type { KubeObject } from "../kube/index.ts";
import { priorities } from "../queue/index.ts";
import type { Controller } from "./controller.ts";
import type { Source, Sources } from "./sources.ts";
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
}

/** Subscribes to every source of a controller; disposing it ends that. */
export class Feed<T extends KubeObject> implements Disposable {
  readonly #controller: Controller<T>;
  readonly #sources: Sources<T>;
  readonly #sink: KeySink;
  readonly #log: Logger;
  readonly #subscriptions: readonly Subscription[];

  constructor(controller: Controller<T>, sources: Sources<T>, { sink, log }: FeedOptions) {
    this.#controller = controller;
    this.#sources = sources;
    this.#sink = sink;
    this.#log = log;
    this.#subscriptions = this.#subscribe();
  }

  /** Resolves when everything that was there before has been told. */
  get complete(): Promise<unknown> {
    return Promise.all(this.#subscriptions.map(({ replayed }) => replayed));
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
  }

  #subscribe(): readonly Subscription[] {
    const { primary, owned, related } = this.#sources;
    const replay = { replay: true };
    return [
      primary.cache.subscribe((change) => this.#onChange(change), replay),
      ...owned.map((source) =>
        source.informer.cache.subscribe(
          this.#told(source, (change) => ownerKeys(source.owned, this.#controller.watches, change)),
          replay,
        ),
      ),
      ...related.map((source) =>
        source.informer.cache.subscribe(
          this.#told(source, (change) => relatedKeys(source.related, this.#sources.cache, change)),
          replay,
        ),
      ),
    ];
  }

  #onChange(change: CacheChange<T>): void {
    if (!this.#isWorthARun(change)) return;
    const { key } = change;
    if (change.type === "DELETED") this.#sink.deleted(key);
    this.#sink.changed(key, priorityOf(change), versionOf(change, this.#sources.primary));
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

  /**
   * A listener for changes of other kinds. What was there from the start adds nothing to the list of the objects themselves, except for
   * objects that are gone, and for those whose own first sight is not worth a run: what changed while no process ran is told by nothing else.
   */
  #told(
    { informer }: Source,
    keysOf: (change: CacheChange) => Iterable<string>,
  ): (change: CacheChange) => void {
    const { gone, when } = this.#controller;
    return (change) => {
      if (change.initial && gone === undefined && when === undefined) return;
      const version = versionOf(change, informer);
      const keys = this.#keys(change, keysOf);
      for (const key of keys) this.#sink.changed(key, priorityOf(change), version);
    };
  }

  #keys(change: CacheChange, keysOf: (change: CacheChange) => Iterable<string>): Iterable<string> {
    try {
      return keysOf(change);
    } catch (error) {
      this.#log.error("a mapping failed; its keys are not run", { key: change.key, error });
      return [];
    }
  }
}

function priorityOf({ initial }: CacheChange): number {
  return initial ? priorities.initialList : priorities.user;
}

/** A list shows only the last of several changes, so what it finds may be more than what a run itself wrote. */
function versionOf(
  { type, resourceVersion }: Pick<CacheChange, "type" | "resourceVersion">,
  { cache }: { readonly cache: { readonly watchState: { readonly phase: string } } },
): string | undefined {
  return type === "DELETED" || cache.watchState.phase !== "live" ? undefined : resourceVersion;
}

import { type Logger, messageOf } from "../base/index.ts";
import type { KubeObject } from "../kube/index.ts";
import type { ChangeType } from "../watch/index.ts";

/** A change to one object of a cache. Valid only during the call: keep the key, not the change. */
export interface CacheChange<T extends KubeObject = KubeObject> {
  readonly type: ChangeType;
  readonly key: string;
  /** Found by the first list, or replayed to a new subscriber: true for what was there before anybody looked. */
  readonly initial: boolean;
  readonly resourceVersion: string;
  /** Undefined for ADDED. */
  readonly previousResourceVersion: string | undefined;
  readonly labelsChanged: boolean;
  /** The object after the change; undefined for DELETED. Parsed when first asked for. */
  current(): T | undefined;
  /** The object before the change, for DELETED its last state; undefined for ADDED, and where the cache keeps columns only. */
  previous(): T | undefined;
}

/** Called for each change, in order, while the cache already shows it. */
export type Listener<T extends KubeObject> = (change: CacheChange<T>) => void;

/** Who wants to know of changes. A listener that throws is logged and called again for the next change. */
export class Listeners<T extends KubeObject> {
  readonly #logger: Logger;
  readonly #listeners = new Set<{ readonly listener: Listener<T> }>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** The same listener may be added more than once. */
  add(listener: Listener<T>): Disposable {
    const entry = { listener };
    this.#listeners.add(entry);
    return { [Symbol.dispose]: () => this.#listeners.delete(entry) };
  }

  tell(change: CacheChange<T>): void {
    for (const { listener } of this.#listeners) this.tellOne(listener, change);
  }

  tellOne(listener: Listener<T>, change: CacheChange<T>): void {
    try {
      listener(change);
    } catch (error) {
      this.#logger.error("a cache listener failed", { key: change.key, error: messageOf(error) });
    }
  }

  clear(): void {
    this.#listeners.clear();
  }
}

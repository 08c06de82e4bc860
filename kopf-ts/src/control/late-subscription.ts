/** A subscription that begins once its listener can understand what it is told. */

import type { CacheChange, Subscription } from "../cache/index.ts";
import type { KubeObject } from "../kube/index.ts";
import type { View } from "./view.ts";

/** What a late subscription waits for, and what it does meanwhile. */
export interface LateOptions {
  /** When to begin; its rejection becomes that of `replayed`. */
  readonly after: Promise<unknown>;
  /** Also tells, at the beginning, how objects differ from what they were when somebody first saw them change; else only what is there. */
  readonly catchUp: boolean;
}

/**
 * Subscribes to a view later. Nothing is lost: what came or is there by then is replayed, and with `catchUp` what changed or went is told as
 * one change from its first state to its last. What came and went is not: nobody has acted on it. Keeps the first states of what
 * changed, so at most as much as there was.
 */
export class LateSubscription<T extends KubeObject> implements Subscription {
  readonly replayed: Promise<void>;
  readonly #view: View<T>;
  readonly #listener: (change: CacheChange<T>) => void;
  /** First states by key; undefined for what came. */
  readonly #former = new Map<string, T | undefined>();
  #current: Disposable | undefined;
  #isOver = false;

  constructor(
    view: View<T>,
    listener: (change: CacheChange<T>) => void,
    { after, catchUp }: LateOptions,
  ) {
    this.#view = view;
    this.#listener = listener;
    if (catchUp) this.#current = view.follow((change) => this.#hold(change));
    this.replayed = after.then(() => this.#begin());
    this.replayed.catch(() => undefined); // told to who waits for it
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#current?.[Symbol.dispose]();
    this.#former.clear();
  }

  #hold(change: CacheChange<T>): void {
    const { key, type, initial } = change;
    if (initial) return; // the replay tells it
    if (!this.#former.has(key)) this.#former.set(key, change.previous());
    else if (type === "DELETED" && this.#former.get(key) === undefined) this.#former.delete(key);
  }

  async #begin(): Promise<void> {
    if (this.#isOver) return;
    this.#current?.[Symbol.dispose]();
    const subscription = this.#view.subscribe(this.#listener);
    this.#current = subscription;
    for (const [key, former] of this.#former) {
      if (former !== undefined) this.#listener(new NetChange(this.#view, key, former));
    }
    this.#former.clear();
    await subscription.replayed;
  }
}

/** What has become of an object since it was first seen. */
class NetChange<T extends KubeObject> implements CacheChange<T> {
  readonly key: string;
  readonly initial = false;
  readonly labelsChanged = true; // in doubt
  readonly #view: View<T>;
  readonly #former: T;

  constructor(view: View<T>, key: string, former: T) {
    this.key = key;
    this.#view = view;
    this.#former = former;
  }

  get type(): "MODIFIED" | "DELETED" {
    return this.#view.has(this.key) ? "MODIFIED" : "DELETED";
  }
  get resourceVersion(): string {
    return this.#view.cache.resourceVersionOf(this.key) ?? "";
  }
  get previousResourceVersion(): string | undefined {
    return this.#former.metadata.resourceVersion;
  }
  current(): T | undefined {
    return this.#view.get(this.key);
  }
  previous(): T {
    return this.#former;
  }
}

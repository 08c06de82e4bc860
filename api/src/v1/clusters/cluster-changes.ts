/** When clusters come and go. */

import { aborted, type Clock, type Timer } from "kopf-ts";
import type { Collections } from "../collections/collection.ts";
import type { Types } from "../types/resource-type.ts";
import type { Members } from "./members.ts";

/** The id of the type whose objects are the clusters, `local` among them. */
export const typeOfClusters = "management.cattle.io.cluster";

/** What changes are seen by. */
export interface ClusterChangesParts {
  readonly members: Pick<Members, "onChange">;
  /** Of the server's own cluster, which knows the names of all others. */
  readonly types: Pick<Types, "find">;
  readonly collections: Collections;
  readonly clock: Clock;
}

/** Milliseconds in which changes are told of together: many clusters may come at once. */
const together = 100;
/** Milliseconds between two attempts to follow the clusters' objects. */
const retry = 2_000;

/** Tells of clusters while somebody listens: that one came, went, or changed how it is. */
export class ClusterChanges {
  readonly #parts: ClusterChangesParts;
  readonly #listeners = new Set<() => void>();
  #stop: AbortController | undefined;
  #timer: Timer | undefined;

  constructor(parts: ClusterChangesParts) {
    this.#parts = parts;
  }

  /** Calls the listener soon after changes, until disposed. */
  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    if (this.#stop === undefined) this.#start();
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener);
        if (this.#listeners.size === 0) this.#end();
      },
    };
  }

  #start(): void {
    const stop = new AbortController();
    this.#stop = stop;
    const states = this.#parts.members.onChange(() => this.#changed());
    stop.signal.addEventListener("abort", () => states[Symbol.dispose](), { once: true });
    void this.#follow(stop.signal);
  }

  #end(): void {
    this.#stop?.abort();
    this.#stop = undefined;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #changed(): void {
    this.#timer ??= this.#parts.clock.after(together, () => {
      this.#timer = undefined;
      for (const listener of [...this.#listeners]) listener();
    });
  }

  /** The names of clusters, as long as somebody listens. */
  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#followOnce(signal);
      } catch {
        // the type cannot be listed now, which whoever asks the clusters is told
      }
      await this.#parts.clock.sleep(retry, signal).catch(() => undefined);
    }
  }

  async #followOnce(signal: AbortSignal): Promise<void> {
    const { types, collections } = this.#parts;
    const type = types.find(typeOfClusters);
    if (type === undefined) return;
    using collection = await collections.use(type, signal);
    using _changes = collection.cache.subscribe(({ type: change }) => {
      if (change !== "MODIFIED") this.#changed();
    });
    this.#changed();
    await aborted(AbortSignal.any([collection.gone, signal]));
  }
}

import type { Clock } from "../base/index.ts";
import type { Cache, Informer, InformerOptions, Informers } from "../cache/index.ts";
import type { InformerSource } from "../control/index.ts";
import { type Kind, type KubeObject, resourceName } from "../kube/index.ts";

/** What freshness works with. */
export interface FreshnessOptions {
  readonly informers: Informers;
  readonly clock: Clock;
  /** Milliseconds after which a cache that does not follow its server counts as stale; never for false. */
  readonly staleAfter: number | false;
}

/** Milliseconds between two looks. */
const look = 1000;

/**
 * Knows how long the caches that controllers read have not followed the server: from the failure of a watch until it is live again, a list in
 * between included. Hands out informers and remembers whom it gave one; caches that only others use do not count, nor those that were never synced.
 */
export class Freshness implements InformerSource {
  readonly #options: FreshnessOptions;
  readonly #caches = new Set<Cache>();
  /** Since when (monotonic) each has been behind. */
  readonly #behind = new Map<Cache, number>();

  constructor(options: FreshnessOptions) {
    this.#options = options;
  }

  acquire<T extends KubeObject>(kind: Kind<T>, options?: InformerOptions): Informer<T> {
    const informer = this.#options.informers.acquire(kind, options);
    this.#caches.add(informer.cache as unknown as Cache); // only its state is read
    return informer;
  }

  /** Looks until the signal aborts; never rejects. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.look();
      await this.#options.clock.sleep(look, signal).catch(() => undefined);
    }
  }

  /** Notes which caches are behind now. */
  look(): void {
    const now = this.#options.clock.monotonic();
    for (const cache of this.#caches) {
      const isBehind = cache.synced && cache.watchState.phase !== "live";
      if (!isBehind) this.#behind.delete(cache);
      else if (!this.#behind.has(cache)) this.#behind.set(cache, now);
    }
  }

  /** A check of health: throws when some cache is stale, else says which are behind. */
  readonly check = (): string => {
    const { clock, staleAfter } = this.#options;
    const now = clock.monotonic();
    const all = [...this.#behind].map(([cache, since]) => ({ cache, age: now - since }));
    const behind = all.map(({ cache, age }) => describe(cache, age)).join("; ");
    if (staleAfter !== false && all.some(({ age }) => age >= staleAfter)) throw new Error(behind);
    return behind === "" ? `${this.#caches.size} follow the server` : behind;
  };
}

function describe({ kind, watchState }: Cache, age: number): string {
  const head = `${resourceName(kind)} behind for ${Math.round(age / 1000)} s`;
  return watchState.phase === "degraded"
    ? `${head}: ${watchState.reason}: ${watchState.message}`
    : head;
}

/** What one run wrote, and whether the caches show it. */

import type { Clock } from "../base/index.ts";
import type { Cache } from "../cache/index.ts";
import { compareResourceVersions } from "../watch/index.ts";

/** How long to wait for a cache. */
export interface SettleOptions {
  readonly clock: Clock;
  /** Milliseconds. */
  readonly timeout: number;
  /** Ends the wait early; it then counts as not settled. */
  readonly signal: AbortSignal;
}

interface Expected {
  readonly cache: Cache;
  readonly shown: () => boolean;
}

/** Collects what a run wrote to kinds that are cached. */
export class OwnWrites {
  readonly #versions = new Set<string>();
  readonly #reached = new Map<Cache, string>();
  readonly #expected: Expected[] = [];

  /** A write that yielded `resourceVersion`; `caches` will show it. `server` tells apart versions of several. */
  wrote(resourceVersion: string, caches: Iterable<Cache>, server = ""): void {
    this.#versions.add(server + resourceVersion);
    for (const cache of caches) {
      const known = this.#reached.get(cache);
      if (known !== undefined && compareResourceVersions(resourceVersion, known) <= 0) continue;
      this.#reached.set(cache, resourceVersion);
    }
  }

  /** A write whose resourceVersion nobody tells; `shown` says whether the cache shows it. */
  expect(cache: Cache, shown: () => boolean): void {
    this.#expected.push({ cache, shown });
  }

  /** Whether this run wrote that version, which begins with what names its server. */
  has(version: string): boolean {
    return this.#versions.has(version);
  }

  /** Whether the caches show everything. */
  get settled(): boolean {
    for (const [cache, version] of this.#reached) {
      if (!isReached(cache, version)) return false;
    }
    return this.#expected.every(({ shown }) => shown());
  }

  /** True once the caches show everything, false when that takes too long. Never rejects. */
  async settle(options: SettleOptions): Promise<boolean> {
    const { timeout, signal } = options;
    const waits = [...this.#reached].map(([cache, version]) =>
      cache.waitFor(version, { timeout, signal }).catch(() => false),
    );
    const more = this.#expected.map((expected) => becomesTrue(expected, options));
    const all = await Promise.all([...waits, ...more]);
    return all.every((settled) => settled);
  }
}

function isReached({ resourceVersion }: Cache, version: string): boolean {
  return resourceVersion !== "" && compareResourceVersions(version, resourceVersion) <= 0;
}

/** Looks after each change of the cache. */
function becomesTrue(
  { cache, shown }: Expected,
  { clock, timeout, signal }: SettleOptions,
): Promise<boolean> {
  if (shown()) return Promise.resolve(true);
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const finish = (): void => {
      timer.cancel();
      subscription[Symbol.dispose]();
      signal.removeEventListener("abort", finish);
      resolve(shown());
    };
    const timer = clock.after(timeout, finish);
    const subscription = cache.subscribe(() => {
      if (shown()) finish();
    });
    signal.addEventListener("abort", finish, { once: true });
  });
}

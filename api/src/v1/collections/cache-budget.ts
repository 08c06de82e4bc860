import type { Clock, Family, Logger, Metrics } from "kopf-ts";
import { defaultMemory } from "./options.ts";
import { surplus, type Weighed } from "./surplus.ts";

/** What a CacheBudget is made with. */
export interface BudgetParts {
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Logger;
  readonly metrics?: Metrics | undefined;
}

/** A cache that can give something back. */
export interface Spendable extends Weighed {
  /** Its objects go. */
  drop(): void;
  /** All of it goes. */
  end(): void;
}

/** A type that was used less than a minute ago is one that somebody works with; milliseconds. */
const LATELY = 60_000;
const BETWEEN_WARNINGS = 3_600_000;

const limitFamily = {
  name: "drover_api_cache_limit_bytes",
  help: "Bytes that all caches of the API may have together",
  labels: [],
} as const satisfies Family;

/** The bytes that the caches of all clusters may have together: what nobody has used for longest goes first, whichever cluster it is of. */
export class CacheBudget {
  readonly #parts: BudgetParts;
  readonly #limit: number;
  readonly #spending = new Set<() => readonly Spendable[]>();
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: BudgetParts, limit: number = defaultMemory) {
    this.#parts = parts;
    this.#limit = limit;
    parts.metrics?.gauge(limitFamily).with().set(limit);
  }

  /** Counts the caches of a cluster, until disposed. */
  count(caches: () => readonly Spendable[]): Disposable {
    this.#spending.add(caches);
    return { [Symbol.dispose]: () => void this.#spending.delete(caches) };
  }

  /** Takes back what does not fit. */
  fit(): void {
    const all = [...this.#spending].flatMap((caches) => caches());
    const { drop, end } = surplus(all, this.#limit);
    if (drop.some(({ idle }) => idle < LATELY)) this.#warn();
    for (const cache of drop) cache.drop();
    for (const cache of end) cache.end();
  }

  /** What was used lately will be used again: to fetch it each time is slow. */
  #warn(): void {
    const { clock, log } = this.#parts;
    const now = clock.monotonic();
    if (now < this.#warnedAt + BETWEEN_WARNINGS) return;
    this.#warnedAt = now;
    log.warn("the types in use need more memory than caches of the API have", {
      memory: this.#limit,
    });
  }
}

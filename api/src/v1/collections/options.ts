/** How caches of types are kept. */

import type { HistoryLimits } from "kopf-ts";

/** Options of TypeCollections; times are milliseconds. */
export interface CollectionsOptions {
  /** How long a type is not used until its bytes go; 10 minutes unless told. */
  readonly idle?: number | undefined;
  /** How long somebody waits for a type that is not there yet; 10 s unless told. */
  readonly patience?: number | undefined;
  /** From one list to the next of what cannot be watched; 5 s unless told, as in Steve. */
  readonly poll?: number | undefined;
  /** What is kept for subscribers who come back; 1,000 changes and 8 MiB of replaced states unless told. */
  readonly history?: HistoryLimits | undefined;
  /** Columns of a type that stay though nobody uses them; 256 unless told. */
  readonly columns?: number | undefined;
  /** From one look at what is idle to the next; 15 s unless told. */
  readonly look?: number | undefined;
}

/** All of them. */
export type Settled = {
  readonly [K in keyof CollectionsOptions]-?: NonNullable<CollectionsOptions[K]>;
};

/** Bytes that the caches of all clusters may have together unless told: for machines of 4 GiB. */
export const defaultMemory: number = 1024 ** 3;

/** What is not told otherwise. */
export const defaults: Settled = {
  idle: 600_000,
  patience: 10_000,
  poll: 5_000,
  history: { events: 1000, bytes: 8 * 1024 * 1024 },
  columns: 256,
  look: 15_000,
};

/** Options with what is not told. */
export function settle(options: CollectionsOptions): Settled {
  const told = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(told) };
}

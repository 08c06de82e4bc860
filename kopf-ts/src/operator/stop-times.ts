/** How long the parts of a stop may take; milliseconds. */
export interface StopTimes {
  /** Work that gets to end by itself. */
  readonly drain: number;
  /** Aborted work that gets to notice. */
  readonly grace: number;
  /** One of two writings of events: of the leader's before the release, of the rest after it. */
  readonly events: number;
  /** The lease. */
  readonly release: number;
  /** Reviews in work, which had all the time before as well. */
  readonly webhooks: number;
}

/**
 * Splits a whole stop. The parts come one after the other, and with events written twice they add up to 98 %: caches and HTTP go in the rest.
 * Most is for the drain, which is the only part that does something useful while the server is away or slow.
 */
export function stopTimes(total: number): StopTimes {
  return {
    ...{ drain: total * 0.56, grace: total * 0.08, events: total * 0.08, release: total * 0.16 },
    webhooks: total * 0.02,
  };
}

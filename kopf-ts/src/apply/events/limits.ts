import type { TokenBucketOptions } from "./token-bucket.ts";

/** What keeps events from becoming a load of their own. Times are milliseconds. */
export interface EventLimits {
  /** New events about one object; 25, then one in five minutes, as client-go's spam filter (client-go: tools/record/events_cache.go). */
  readonly perObject: TokenBucketOptions;
  /** New events and counts of all objects; 500, then 50 per second. */
  readonly overall: TokenBucketOptions;
  /** An event repeated within this time of the last one only raises that one's count; 6 minutes (client-go: tools/events). */
  readonly window: number;
  /** How often a count may be written; 30 s. */
  readonly interval: number;
  /** How many series, and how many objects, are remembered; 4096. */
  readonly remembered: number;
  /** How many events may wait to be sent; 1000. */
  readonly waiting: number;
  /** Requests at once; 4. */
  readonly requests: number;
  /** How often one event is tried, beyond what the client itself retries; 3. */
  readonly attempts: number;
  /** How long `flush` may take; 10 s. */
  readonly flush: number;
}

/** The limits that hold unless told. */
export const defaultLimits: EventLimits = {
  perObject: { burst: 25, perSecond: 1 / 300 },
  overall: { burst: 500, perSecond: 50 },
  window: 360_000,
  interval: 30_000,
  remembered: 4096,
  waiting: 1000,
  requests: 4,
  attempts: 3,
  flush: 10_000,
};

/** Every constant of time in a watch, in milliseconds. Tests scale them down. */
export interface WatchTiming {
  /** The server is asked to end a watch after a random time between these (client-go: minWatchTimeout and its double). */
  readonly serverTimeoutMin: number;
  readonly serverTimeoutMax: number;
  /** Silence after which a connection is dead that has brought bookmarks (each minute), and after which another one is tried where they were expected. */
  readonly stallWithBookmarks: number;
  /** Silence beyond the server's own timeout after which a connection without bookmarks is dead. */
  readonly stallMargin: number;
  /** How long a request may take to be answered, and a page of a list to be silent. */
  readonly answer: number;
  /** Silence after which a streamed list is given up for pages. */
  readonly listSilence: number;
  /** Time after which a streamed list is given up for pages, whatever came. */
  readonly listTotal: number;
  /** Waits after failures: from about `backoffMin` doubling up to `backoffMax`, each with jitter. */
  readonly backoffMin: number;
  readonly backoffMax: number;
  /** Time without a failure after which waits begin at the minimum again. */
  readonly backoffReset: number;
  /** Between attempts at what only a person can change: missing rights, a resource that is not served. */
  readonly slowRetry: number;
  /** How long after `retry()` the waits for such things are those of the back-off, from its minimum. */
  readonly eager: number;
  /** The longest wait that a server's Retry-After is granted. */
  readonly longestAsked: number;
  /** A watch that ends sooner than this without a newer resourceVersion has failed. */
  readonly shortWatch: number;
  /** Work in one turn of the event loop before others get theirs. */
  readonly slice: number;
}

/** The timing of production. */
export const defaultTiming: WatchTiming = {
  serverTimeoutMin: 300_000,
  serverTimeoutMax: 600_000,
  stallWithBookmarks: 75_000,
  stallMargin: 5_000,
  answer: 30_000,
  listSilence: 10_000,
  listTotal: 60_000,
  backoffMin: 800,
  backoffMax: 30_000,
  backoffReset: 120_000,
  slowRetry: 30_000,
  eager: 10_000,
  longestAsked: 300_000,
  shortWatch: 1_000,
  slice: 10,
};

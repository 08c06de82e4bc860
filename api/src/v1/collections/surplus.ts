/** Which caches have to give something back. Pure. */

/** A cache, as far as that goes. */
export interface Weighed {
  readonly isUsed: boolean;
  /** Milliseconds since it was used. */
  readonly idle: number;
  /** Bytes that go when its objects are dropped; 0 where somebody else keeps them. */
  readonly objects: number;
  /** Bytes of everything else that goes when it ends. */
  readonly rest: number;
}

/** What each of them gives back. */
export interface Surplus<T> {
  readonly drop: readonly T[];
  readonly end: readonly T[];
}

/** What was used lately keeps its columns: to make them anew for each request would cost more than they take. Milliseconds. */
const LATELY = 60_000;

/**
 * Picks those unused for longest until the rest fits: first their objects, then everything of them. Those in use keep what they have, even if
 * they do not fit.
 */
export function surplus<T extends Weighed>(caches: readonly T[], limit: number): Surplus<T> {
  const unused = caches.filter(({ isUsed }) => !isUsed).toSorted((a, b) => b.idle - a.idle);
  let total = caches.reduce((sum, { objects, rest }) => sum + objects + rest, 0);
  const take = (bytes: (cache: T) => number): readonly T[] =>
    unused.filter((cache) => {
      if (total <= limit || bytes(cache) === 0) return false;
      total -= bytes(cache);
      return true;
    });
  const drop = take(({ objects }) => objects);
  return { drop, end: take(({ rest, idle }) => (idle < LATELY ? 0 : rest)) };
}

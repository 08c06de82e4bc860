/** How fast work that comes due is done. All times are milliseconds of the monotonic clock. */

/** Options of Throttle. */
export interface ThrottleOptions {
  /** Turns per second for keys that were due a while ago, and as many for keys that come due now; 50 unless told. */
  readonly perSecond?: number;
}

/** A key that is at most this late comes due now. */
const fresh = 5_000;
/** No key that comes due now waits longer than this for its turn; the rest of a crowd joins the backlog. */
const longestFreshWait = 1_000;
/** A turn that nobody took is forgotten after this. */
const forgotten = 60_000;
/** So much of the rate may come at once, since timers are never exact. */
const tolerance = 100;

/**
 * Gives every key its turn, for reconcilers that must not do thousands of things at once: what `wait` answers goes into `requeueAfter`. Two lanes of
 * equal rate: one for what piled up while nobody looked, one for what comes due just now, so that a backlog of any length delays these by a second
 * at most. Controllers that share one share its rate; their keys must differ then. A turn that nobody takes is forgotten after a minute.
 */
export class Throttle {
  readonly #backlog: Lane;
  readonly #now: Lane;

  constructor({ perSecond = 50 }: ThrottleOptions = {}) {
    this.#backlog = new Lane(1000 / perSecond);
    this.#now = new Lane(1000 / perSecond);
  }

  /** Milliseconds until it is the key's turn; 0 when it is, and then the turn is taken. `late` is how long ago it came due. */
  wait(key: string, late: number, time: number): number {
    return this.#laneFor(key, late, time).wait(key, time);
  }

  #laneFor(key: string, late: number, time: number): Lane {
    if (this.#now.has(key)) return this.#now;
    if (this.#backlog.has(key) || late > fresh) return this.#backlog;
    return this.#now.length(time) > longestFreshWait ? this.#backlog : this.#now;
  }
}

/** Turns at even distances. */
class Lane {
  readonly #distance: number;
  /** In order of their turns. */
  readonly #turns = new Map<string, number>();
  /** The first turn that is not given away. */
  #next = 0;
  /** When the next may go, whatever turns were given: after a stall many turns are due at once. */
  #free = 0;

  constructor(distance: number) {
    this.#distance = distance;
  }

  has(key: string): boolean {
    return this.#turns.has(key);
  }

  /** How long a new key would wait. */
  length(time: number): number {
    return Math.max(0, this.#next - time);
  }

  wait(key: string, time: number): number {
    this.#forget(time);
    const turn = this.#turns.get(key) ?? this.#enter(key, time);
    if (turn > time) return turn - time;
    this.#turns.delete(key);
    if (this.#free > time + tolerance) return this.#enter(key, time) - time;
    this.#free = Math.max(this.#free, time) + this.#distance;
    return 0;
  }

  #enter(key: string, time: number): number {
    const turn = Math.max(this.#next, this.#free, time);
    this.#next = turn + this.#distance;
    this.#turns.set(key, turn);
    return turn;
  }

  #forget(time: number): void {
    for (const [key, turn] of this.#turns) {
      if (turn > time - forgotten) return;
      this.#turns.delete(key);
    }
  }
}

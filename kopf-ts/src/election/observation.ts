import { compareResourceVersions } from "../watch/index.ts";
import { holderOf, type LeaseObject, transitionsOf } from "./lease.ts";

/**
 * What a candidate knows of the lease. Expiry counts from when this process saw the record change, by its own monotonic clock: the times
 * in the record may come from any clock. A lease that somebody deleted while it was held counts as held until its time has passed, since its holder
 * has not noticed yet.
 */
export class Observation {
  #lease: LeaseObject | undefined;
  /** When its record changed. */
  #seenAt = 0;
  /** When it was last told. */
  #takenAt = 0;
  #transitions = -1;
  /** When the time of one ends that was deleted, and another one made. */
  #replacedUntil = Number.NEGATIVE_INFINITY;
  readonly #defaultDuration: number;

  /** `defaultDuration` (ms) counts for a record that names none. */
  constructor(defaultDuration: number) {
    this.#defaultDuration = defaultDuration;
  }

  /**
   * Takes in what the server answered at `now` to a request that was begun at `asked` (both monotonic); undefined when there is no such lease.
   * Also a lower resourceVersion than before counts, since a server that was restored from a backup goes on from there; unless the watch has
   * told a higher one meanwhile.
   */
  see(lease: LeaseObject | undefined, now: number, asked: number = now): void {
    if (lease === undefined) return;
    if (this.#takenAt <= asked || !isOlder(lease, this.#lease)) this.#take(lease, now);
  }

  /** Takes in what the watch tells at `now`: only what is newer counts, since it may come later than what a read has told. */
  hear(lease: LeaseObject, now: number): void {
    if (!isOlder(lease, this.#lease)) this.#take(lease, now);
  }

  #take(lease: LeaseObject, now: number): void {
    const isAnother = this.#lease !== undefined && lease.metadata.uid !== this.#lease.metadata.uid;
    if (isAnother) this.#replacedUntil = now + this.timeLeft(now);
    if (!isSameRecord(lease, this.#lease)) this.#seenAt = now;
    this.#takenAt = now;
    this.#lease = lease;
    this.#transitions = Math.max(this.#transitions, transitionsOf(lease));
  }

  /** Who holds it; undefined: nobody. */
  get holder(): string | undefined {
    return holderOf(this.#lease);
  }

  /** What the next holder writes: one more than was ever seen, also when the lease was made anew; 0 for the first. */
  get nextTransitions(): number {
    return this.#transitions + 1;
  }

  /** Whether a lease was there before this one whose holder may still lead at `now`: somebody deleted it meanwhile. */
  wasReplaced(now: number): boolean {
    return now < this.#replacedUntil;
  }

  /** Milliseconds until the lease may be taken; 0 or less: now. */
  timeLeft(now: number): number {
    if (this.holder === undefined) return 0;
    const seconds = this.#lease?.spec?.leaseDurationSeconds;
    const duration = typeof seconds === "number" ? seconds * 1000 : this.#defaultDuration;
    return this.#seenAt + duration - now;
  }
}

/** Only the record counts: a label that somebody keeps changing must not keep a dead holder in office. */
function isSameRecord(a: LeaseObject, b: LeaseObject | undefined): boolean {
  return a.metadata.uid === b?.metadata.uid && JSON.stringify(a.spec) === JSON.stringify(b?.spec);
}

function isOlder(a: LeaseObject, b: LeaseObject | undefined): boolean {
  if (a.metadata.uid !== b?.metadata.uid) return false;
  return compareResourceVersions(versionOf(a), versionOf(b)) < 0;
}

function versionOf(lease: LeaseObject | undefined): string {
  return lease?.metadata.resourceVersion ?? "";
}

/** Slows down whoever guesses passwords. */

import { createHash } from "node:crypto";
import type { Clock } from "kopf-ts";
import { LRUCache } from "lru-cache";

/** How guesses are slowed down. Times are milliseconds. */
export interface AttemptLimits {
  /** Failures in a row that cost nothing; 5 unless told. */
  readonly free?: number;
  /** The first wait; it doubles with each failure; 1,000 unless told. */
  readonly wait?: number;
  /** The longest wait; 60,000 unless told. */
  readonly longest?: number;
  /** After so much time without a try all is forgotten; 15 minutes unless told. */
  readonly forget?: number;
}

interface Tries {
  readonly failures: number;
  readonly last: number;
  readonly next: number;
}

/** Pairs of user and address that are remembered. */
const most = 10_000;

/**
 * Counts failed logins per user name and address: a few cost nothing, then each makes the next one wait, longer every time. Nobody can lock others
 * out, for these come from other addresses; names that nobody has are slowed down alike. A try counts as failed until it has succeeded, so tries at the
 * same time are no way around.
 */
export class Attempts {
  readonly #clock: Clock;
  readonly #limits: Required<AttemptLimits>;
  readonly #tries = new LRUCache<string, Tries>({ max: most });

  constructor(clock: Clock, limits: AttemptLimits = {}) {
    this.#clock = clock;
    this.#limits = { free: 5, wait: 1_000, longest: 60_000, forget: 900_000, ...limits };
  }

  /** Milliseconds until this user may try again from there; 0 for now, which counts as a failure until `succeeded`. */
  begin(username: string, address: string): number {
    const id = idOf(username, address);
    const now = this.#clock.monotonic();
    const { failures, last, next } = this.#tries.get(id) ?? { failures: 0, last: now, next: now };
    if (next > now) return next - now;
    const count = now - last > this.#limits.forget ? 1 : failures + 1;
    this.#tries.set(id, { failures: count, last: now, next: now + this.#waitAfter(count) });
    return 0;
  }

  /** It was the right password: `begin` counts from the start again. */
  succeeded(username: string, address: string): void {
    this.#tries.delete(idOf(username, address));
  }

  /** The try that began could not be judged, so it counts as none; those before it still do. */
  undecided(username: string, address: string): void {
    const id = idOf(username, address);
    const { failures, last } = this.#tries.get(id) ?? { failures: 0, last: 0 };
    if (failures === 0) return;
    this.#tries.set(id, { failures: failures - 1, last, next: this.#clock.monotonic() });
  }

  #waitAfter(failures: number): number {
    const { free, wait, longest } = this.#limits;
    return failures < free ? 0 : Math.min(longest, wait * 2 ** (failures - free));
  }
}

/** User names are what people type, at times a password; and they may be long. */
function idOf(username: string, address: string): string {
  return createHash("sha256")
    .update(`${networkOf(address)}\n${username}`)
    .digest("base64");
}

/** Who has an IPv6 address has all of its /64; groups of zeros that `::` stands for count. */
export function networkOf(address: string): string {
  if (address.includes(".")) return address;
  const [front = "", back] = address.split("::");
  const before = front.split(":");
  const after = back?.split(":") ?? [];
  const zeros = Array(Math.max(0, 8 - before.length - after.length)).fill("0");
  const groups = [...before, ...zeros, ...after].map((each) => each || "0");
  return groups.slice(0, 4).join(":");
}

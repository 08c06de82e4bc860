/** Delays between attempts. All numbers are milliseconds. */

/** Limits of an exponential series. */
export interface BackoffOptions {
  readonly min: number;
  readonly max: number;
  /** Growth per attempt; 2 unless told. */
  readonly factor?: number;
}

/** Delay before attempt `attempt` (0 is the first retry): min, min x factor, ... up to max. */
export function exponential(attempt: number, { min, max, factor = 2 }: BackoffOptions): number {
  return Math.min(max, min * factor ** attempt);
}

/** A delay of `delay` to twice that, so that many clients do not return at once (client-go: util/wait, jitter 1.0). */
export function fullJitter(delay: number, random: () => number = Math.random): number {
  return delay * (1 + random());
}

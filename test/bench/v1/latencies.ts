/** What many times of the same thing come to. Pure. */

/** Of times in milliseconds; all 0 for none. */
export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** The time that so large a part of all did not exceed: the nearest rank, never a value in between. */
export function percentiles(taken: readonly number[]): Percentiles {
  const sorted = Float64Array.from(taken).sort();
  const at = (part: number): number =>
    sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}

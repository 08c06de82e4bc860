/** Reads lengths of time as API servers write them in tables (apimachinery: pkg/util/duration/duration.go, HumanDuration). Pure. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

const LENGTH = /^(?=.)(?:(\d+)y)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/;
const UNITS: readonly number[] = [YEAR, DAY, HOUR, MINUTE, SECOND];

/** Up to which length texts are exact to which unit. */
const EXACT: readonly (readonly [number, number])[] = [
  [10 * MINUTE, SECOND],
  [8 * HOUR, MINUTE],
  [8 * DAY, HOUR],
  [8 * YEAR, DAY],
];

/** How far apart the clocks of two machines may be, and how long an answer may take. */
const SLACK = 5 * SECOND;

/**
 * Since when something is as old as a text like `5m` or `3d4h` says, in milliseconds since 1970; undefined for another text. Texts are rounded down: what fits is the time
 * that `created` names (RFC 3339), else it is counted back from `now`.
 */
export function sinceOf(text: string, now: number, created: string): number | undefined {
  const [whole, ...counts] = LENGTH.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const length = counts.reduce((sum, count, at) => sum + Number(count ?? 0) * (UNITS[at] ?? 0), 0);
  const [, exact = YEAR] = EXACT.find(([below]) => length < below) ?? [];
  const time = Date.parse(created);
  const rest = now - length - time;
  return rest >= -SLACK && rest < exact + SLACK ? time : now - length;
}

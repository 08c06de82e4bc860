/** Lengths of time as kubectl shows them (apimachinery: pkg/util/duration/duration.go, HumanDuration). */

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** Two units at most, the second left out when it is 0 or the first is large: `119s`, `5m30s`, `3h`, `2d4h`, `3y20d`. Takes milliseconds. */
export function humanDuration(length: number): string {
  const seconds = Math.trunc(length / second);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (length < 2 * minute) return `${seconds}s`;
  if (length < 10 * minute) return two(length, minute, "m", second, "s", 60);
  if (length < 3 * hour) return `${Math.trunc(length / minute)}m`;
  if (length < 8 * hour) return two(length, hour, "h", minute, "m", 60);
  if (length < 2 * day) return `${Math.trunc(length / hour)}h`;
  if (length < 8 * day) return two(length, day, "d", hour, "h", 24);
  if (length < 2 * year) return `${Math.trunc(length / day)}d`;
  if (length < 8 * year) return two(length, year, "y", day, "d", 365);
  return `${Math.trunc(length / year)}y`;
}

/** Milliseconds of the smaller unit in which a length of time is shown: what is shown changes at multiples of it alone. What is yet to come may change at any time. */
export function unitOf(length: number): number {
  if (length < 0) return 1;
  if (length < 10 * minute) return second;
  if (length < 8 * hour) return minute;
  return length < 8 * day ? hour : day;
}

function two(
  length: number,
  large: number,
  largeName: string,
  small: number,
  smallName: string,
  perLarge: number,
): string {
  const rest = Math.trunc(length / small) % perLarge;
  return `${Math.trunc(length / large)}${largeName}${rest === 0 ? "" : `${rest}${smallName}`}`;
}

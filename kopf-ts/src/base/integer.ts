/** Integers of 64 bits, as Kubernetes has them: those that a double would round are bigints. */

/** As long as those that a double may round, and no longer than 64 bits are. */
const long = /^[+-]?0*[1-9]\d{15,18}$/;

/** The number that a text writes, NaN for none: a bigint for an integer of 64 bits that is not safe, else a double. */
export function parseNumber(text: string): number | bigint {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isNaN(number) || Math.abs(number) <= Number.MAX_SAFE_INTEGER) return number;
  const digits = text.trim();
  const exact = long.test(digits) ? BigInt(digits) : undefined;
  return exact !== undefined && BigInt.asIntN(64, exact) === exact ? exact : number;
}

/** The integer of 64 bits that a text writes in decimal digits, exactly; NaN for none, and for one that is longer (go: strconv.ParseInt). */
export function parseInteger(text: string): number | bigint {
  const number = /^[+-]?\d+$/.test(text) ? parseNumber(text) : Number.NaN;
  return typeof number === "bigint" || Number.isSafeInteger(number) ? number : Number.NaN;
}

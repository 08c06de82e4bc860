/** Amounts as Kubernetes writes them: read, added exactly, and written again (apimachinery: pkg/api/resource/quantity.go). Pure. */

const form = /^([+-]?)(\d+\.?\d*|\.\d+)(?:([eE][+-]?\d{1,2})|([numkMGTPE]|[KMGTPE]i)?)$/;

/** Whole texts that are longer are no amounts of anything. */
const longest = 64;
/** Everything is counted in these: the smallest unit there is. */
const nano = 9;

const decimals: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binaries: readonly string[] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** The amount in billionths, rounded away from 0 as Kubernetes does; undefined for a text that is none. */
export function parseQuantity(text: string): bigint | undefined {
  const match = text.length > longest ? null : form.exec(text);
  if (match === null) return undefined;
  const [, sign = "", number = "", exponent, suffix = ""] = match;
  const [whole = "", fraction = ""] = number.split(".");
  const power = exponent === undefined ? (decimals[suffix] ?? 0) : Number(exponent.slice(1));
  const factor = 1024n ** BigInt(binaries.indexOf(suffix) + 1);
  const amount = shifted(BigInt(`${whole}${fraction}`) * factor, nano + power - fraction.length);
  return sign === "-" ? -amount : amount;
}

/** Times a power of ten, rounded up. */
function shifted(amount: bigint, power: number): bigint {
  if (power >= 0) return amount * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return (amount + divisor - 1n) / divisor;
}

/**
 * The sum as Kubernetes would write it: exact, and in the form of the first that is not 0 (with the units of 1024 or of 1000). Amounts may be numbers,
 * as in JSON; what is no amount adds nothing. "0" for none.
 */
export function sumQuantities(amounts: Iterable<number | string>): string {
  let sum = 0n;
  let first: string | undefined;
  for (const each of amounts) {
    const text = String(each);
    const amount = parseQuantity(text) ?? 0n;
    if (amount === 0n) continue;
    first ??= text;
    sum += amount;
  }
  return formatQuantity(sum, first?.endsWith("i") === true ? "binary" : "decimal");
}

/**
 * The text of an amount of billionths, in as few digits as are exact: 2k, 1500m, 3Gi. Binary units are for whole amounts from 1024 on; others are written in
 * decimal ones, so that nothing is rounded.
 */
export function formatQuantity(amount: bigint, form: "binary" | "decimal"): string {
  const size = amount < 0n ? -amount : amount;
  const text = form === "binary" && fitsBinary(size) ? inBinary(size / one) : inDecimal(size);
  return amount < 0n ? `-${text}` : text;
}

const one = 10n ** BigInt(nano);

function fitsBinary(size: bigint): boolean {
  return size >= 1024n * one && size % one === 0n;
}

function inBinary(size: bigint): string {
  let [left, at] = [size, 0];
  while (left % 1024n === 0n && at < binaries.length) {
    left /= 1024n;
    at++;
  }
  return `${left}${binaries[at - 1] ?? ""}`;
}

const decimalSuffixes: readonly string[] = Object.keys(decimals);

function inDecimal(size: bigint): string {
  if (size === 0n) return "0";
  let [left, at] = [size, 0];
  while (left % 1000n === 0n && at < decimalSuffixes.length - 1) {
    left /= 1000n;
    at++;
  }
  return `${left}${decimalSuffixes[at]}`;
}

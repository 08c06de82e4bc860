/** Amounts as Kubernetes writes them (apimachinery: pkg/api/resource/quantity.go). */

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

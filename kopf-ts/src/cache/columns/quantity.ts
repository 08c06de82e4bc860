/** Kubernetes quantities as numbers (apimachinery: pkg/api/resource/quantity.go). */

/** What a suffix multiplies by. */
const factors: Readonly<Record<string, number>> = {
  ...{ n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
};

const shape = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:([KMGTPE]i|[numkMGTPE])|[eE]([+-]?\d{1,3}))?$/;

/** The number that `100m`, `1Gi` or `1e3` stands for, as near as a double comes; NaN for an absent value and for what is no quantity. A bigint stays one. */
export function toQuantity(value: unknown): number | bigint {
  if (typeof value === "number" || typeof value === "bigint") return value;
  const [, digits = "", suffix, exponent] =
    shape.exec(typeof value === "string" ? value : "") ?? [];
  if (digits === "") return Number.NaN;
  if (exponent !== undefined) return Number(`${digits}e${exponent}`);
  return Number(digits) * (suffix === undefined ? 1 : (factors[suffix] ?? Number.NaN));
}

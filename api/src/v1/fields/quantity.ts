/** Quantities of Kubernetes as numbers (apimachinery: pkg/api/resource/quantity.go). */

/** The number of `100m`, `1.5Gi`, `2e3` or `7`; NaN for anything else. What is a number stays it. */
export function quantityOf(value: unknown): number | bigint {
  if (typeof value === "number" || typeof value === "bigint") return value;
  const { groups } = typeof value === "string" ? (shape.exec(value) ?? {}) : {};
  if (groups === undefined) return Number.NaN;
  const { number = "", unit = "" } = groups;
  return Number(number) * (factors[unit] ?? Number.NaN);
}

const shape =
  /^(?<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?<unit>|[numkMGTPE]|[KMGTPE]i)$/;

const factors: Readonly<Record<string, number>> = {
  ...{ "": 1, n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
};

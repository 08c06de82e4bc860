/** Requests and limits of containers that name none, as projects and namespaces give them. */

import { parseQuantity } from "@drover/crds";
import type { Problem } from "./verdicts.ts";

const pairs = [
  ["requestsCpu", "limitsCpu"],
  ["requestsMemory", "limitsMemory"],
] as const;

/** What is wrong with them: each is an amount that is not negative, and no request is above its limit. `named` puts a field into words. */
export function limitsProblem(
  limits: Readonly<Record<string, unknown>>,
  named: (field: string) => string,
): Problem {
  const amounts = new Map<string, bigint>();
  for (const field of pairs.flat()) {
    const text = limits[field] ?? "";
    if (text === "") continue;
    const amount = typeof text === "string" ? parseQuantity(text) : undefined;
    if (amount === undefined) return `${named(field)} must be a quantity, such as 500m or 128Mi`;
    if (amount < 0n) return `${named(field)} must not be negative`;
    amounts.set(field, amount);
  }
  const [request, limit] = pairs.find((pair) => isReversed(pair, amounts)) ?? [];
  return request === undefined ? undefined : `${named(request)} must not be above ${limit}`;
}

function isReversed(
  [low, high]: (typeof pairs)[number],
  amounts: ReadonlyMap<string, bigint>,
): boolean {
  const [request, limit] = [amounts.get(low), amounts.get(high)];
  return request !== undefined && limit !== undefined && request > limit;
}

/** Quotas of a project and of its namespaces (webhook: management.cattle.io/v3/project; rancher: pkg/api/norman/store/project). */

import { isDeepStrictEqual } from "node:util";
import { type Project, parseQuantity, type ResourceQuotaLimit } from "@drover/crds";
import type { Problem } from "../verdicts.ts";

const total = "spec.resourceQuota.limit";
const share = "spec.namespaceDefaultResourceQuota.limit";

/**
 * What is wrong with the quotas that a change gives a project which has this many namespaces; a project whose quotas stay as they were is
 * not judged.
 */
export function quotaProblem(
  { spec: after }: Project,
  before: Project | undefined,
  namespaces: () => number,
): Problem {
  const { resourceQuota, namespaceDefaultResourceQuota } = after ?? {};
  if (before !== undefined && sameQuotas(after, before.spec)) return undefined;
  if (resourceQuota === undefined && namespaceDefaultResourceQuota === undefined) return undefined;
  if (resourceQuota === undefined) {
    return "spec.resourceQuota is required beside spec.namespaceDefaultResourceQuota";
  }
  if (namespaceDefaultResourceQuota === undefined) {
    // Who applied both and takes them back leaves what a controller wrote, which that removes.
    if (resourceQuota.limit === undefined && resourceQuota.usedLimit !== undefined)
      return undefined;
    return "spec.namespaceDefaultResourceQuota is required beside spec.resourceQuota";
  }
  const limits = entries(resourceQuota.limit);
  const shares = entries(namespaceDefaultResourceQuota.limit);
  return (
    keysProblem(limits, shares) ??
    amountsProblem(total, limits) ??
    amountsProblem(share, shares) ??
    sharesProblem(limits, shares) ??
    usedProblem(limits, before) ??
    roomProblem(limits, shares, before, namespaces)
  );
}

function sameQuotas(after: Project["spec"], before: Project["spec"]): boolean {
  const of = (spec: Project["spec"]) => [
    spec?.resourceQuota?.limit,
    spec?.namespaceDefaultResourceQuota?.limit,
    spec?.resourceQuota === undefined,
    spec?.namespaceDefaultResourceQuota === undefined,
  ];
  return isDeepStrictEqual(of(after), of(before));
}

/** By field; those of `extended` have its name before theirs. Empty texts count as not set, as in Go. */
type Limits = ReadonlyMap<string, string>;

function entries(limit: ResourceQuotaLimit | undefined): Limits {
  const { extended = {}, ...named } = limit ?? {};
  const prefixed = Object.entries(extended).map(
    ([key, text]) => [`extended.${key}`, text] as const,
  );
  return new Map([...Object.entries(named), ...prefixed].filter(([, text]) => text !== ""));
}

function keysProblem(limits: Limits, shares: Limits): Problem {
  const missing = [...limits.keys()].find((key) => !shares.has(key));
  if (missing !== undefined) return `${share}.${missing} is required beside ${total}.${missing}`;
  const surplus = [...shares.keys()].find((key) => !limits.has(key));
  if (surplus !== undefined) return `${total}.${surplus} is required beside ${share}.${surplus}`;
  return undefined;
}

function amountsProblem(path: string, limits: Limits): Problem {
  for (const [key, text] of limits) {
    const amount = parseQuantity(text);
    if (amount === undefined) return `${path}.${key} must be a quantity, such as 10, 500m or 2Gi`;
    if (amount < 0n) return `${path}.${key} must not be negative`;
  }
  return undefined;
}

function sharesProblem(limits: Limits, shares: Limits): Problem {
  const over = [...shares].find(([key, text]) => amountOf(text) > amountOf(limits.get(key)));
  return over === undefined
    ? undefined
    : `${share}.${over[0]} must not be above ${total}.${over[0]}`;
}

/** What namespaces have been given already cannot be taken away. What the request says of it is not looked at: only controllers know. */
function usedProblem(limits: Limits, before: Project | undefined): Problem {
  const used = entries(before?.spec?.resourceQuota?.usedLimit);
  const over = [...limits].find(([key, text]) => amountOf(used.get(key)) > amountOf(text));
  if (over === undefined) return undefined;
  return `${total}.${over[0]} must not be below what the project's namespaces use already`;
}

/** Where a limit is new, each namespace that is there already gets its share. */
function roomProblem(
  limits: Limits,
  shares: Limits,
  before: Project | undefined,
  namespaces: () => number,
): Problem {
  if (before === undefined) return undefined;
  const old = entries(before.spec?.resourceQuota?.limit);
  const added = [...limits].filter(([key]) => !old.has(key));
  if (added.length === 0) return undefined;
  const count = BigInt(namespaces());
  const over = added.find(([key, text]) => amountOf(shares.get(key)) * count > amountOf(text));
  if (over === undefined) return undefined;
  return `${total}.${over[0]} must have room for ${share}.${over[0]} in each of the ${count} namespaces`;
}

function amountOf(text = "0"): bigint {
  return parseQuantity(text) ?? 0n;
}

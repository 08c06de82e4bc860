/** What a Project says of how much of its quota is given out. Pure. */

import { isDeepStrictEqual } from "node:util";
import type { Project, ResourceQuotaLimit } from "@drover/crds";
import { type Hard, limitOf } from "./limits.ts";

/**
 * The merge patch that makes `usedLimit` say this, in the very version that was looked at; undefined when it does. A quota of which nothing but that is left, as when who applied
 * the rest takes it back, goes as a whole.
 */
export function usedPatch(
  { metadata: { resourceVersion }, spec }: Pick<Project, "metadata" | "spec">,
  used: Hard,
): { readonly metadata: unknown; readonly spec: unknown } | undefined {
  const { resourceQuota, namespaceDefaultResourceQuota } = spec ?? {};
  if (!resourceQuota) return undefined;
  const isLeftover = resourceQuota.limit === undefined && !namespaceDefaultResourceQuota;
  if (isLeftover) return { metadata: { resourceVersion }, spec: { resourceQuota: null } };
  const [before, after] = [resourceQuota.usedLimit ?? {}, limitOf(used)];
  if (isDeepStrictEqual(before, after)) return undefined;
  const usedLimit = replaced(before, after);
  return { metadata: { resourceVersion }, spec: { resourceQuota: { usedLimit } } };
}

function replaced(before: ResourceQuotaLimit, after: ResourceQuotaLimit): unknown {
  const extended = after.extended && { ...nulls(before.extended ?? {}), ...after.extended };
  return { ...nulls(before), ...after, ...(extended && { extended }) };
}

function nulls(fields: object): Readonly<Record<string, null>> {
  return Object.fromEntries(Object.keys(fields).map((key) => [key, null]));
}

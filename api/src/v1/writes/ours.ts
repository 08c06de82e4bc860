/** Takes out of an object what /v1 put into it, before it goes to the API server. Pure. */

import { mapAt } from "../tree.ts";
import type { Sent } from "./content.ts";

/** Keys that items have for themselves; those of the object's own stand behind an underscore (apiserver: pkg/types, ReservedFields). */
const reserved = ["id", "type", "links", "actions"] as const;

/**
 * The object as Kubernetes knows it: `_type` is `type` again, and what /v1 computed is gone (steve: pkg/stores/proxy/proxy_store.go). Without an underscore `type`
 * counts as the object's own unless it names the type, so that a manifest of a Secret works as well.
 */
export function withoutOurs(object: Sent, typeId: string): Record<string, unknown> {
  const cleaned: Record<string, unknown> = { ...named(object, typeId) };
  delete cleaned.resourcePermissions;
  const metadata = mapAt(object, "metadata");
  if (metadata !== undefined) cleaned.metadata = withoutComputed(metadata);
  const status = mapAt(object, "status");
  if (status !== undefined) cleaned.status = withoutFlags(status);
  return cleaned;
}

/** Only the names: for patches, where a field that is there says that it is to be changed. */
export function named(object: Sent, typeId: string): Record<string, unknown> {
  const renamed: Record<string, unknown> = { ...object };
  for (const key of reserved) {
    const own = `_${key}`;
    const keeps = key === "type" && !Object.hasOwn(object, own) && object[key] !== typeId;
    if (!keeps) delete renamed[key];
    delete renamed[own];
    if (Object.hasOwn(object, own)) renamed[key] = object[own];
  }
  return renamed;
}

function withoutComputed(metadata: Sent): Sent {
  const { fields: _f, state: _s, relationships: _r, associatedData: _a, ...rest } = metadata;
  return rest;
}

function withoutFlags(status: Sent): Sent {
  const { conditions } = status;
  if (!Array.isArray(conditions)) return status;
  return { ...status, conditions: conditions.map(withoutFlag) };
}

/** A lastUpdateTime that is another one than lastTransitionTime is the object's own, as conditions of old have it; where there is none of the latter, the former was added empty. */
function withoutFlag(condition: unknown): unknown {
  const fields = mapAt(condition);
  if (fields === undefined) return condition;
  const { error: _e, transitioning: _t, lastUpdateTime, ...rest } = fields;
  const copied = rest.lastTransitionTime ?? "";
  const isCopy = lastUpdateTime === undefined || lastUpdateTime === copied;
  return isCopy ? rest : { ...rest, lastUpdateTime };
}

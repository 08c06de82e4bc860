import type { Client, KubeObject, WriteOptions } from "../kube/index.ts";

/** Options of patchStatus. */
export interface PatchStatusOptions extends Pick<WriteOptions, "signal" | "timeout"> {
  /** The client's own unless told, which in a reconciler is its controller's. */
  readonly fieldManager?: string;
  /** False for kinds that keep their status in the body (Project, User); true unless told. */
  readonly subresource?: boolean;
}

/** An object that may have a status. */
export type WithStatus = KubeObject & { readonly status?: unknown };

/**
 * Makes the object's status be `status` and returns the object as it then is; sends nothing when it is so already. The whole status belongs to
 * the caller: fields that `status` lacks are removed, also those of others. Controllers that share a status apply their own fields of it
 * (`client.apply(object, { subresource: "status", fieldManager })`).
 *
 * Only the fields that changed are sent, with the resourceVersion of the object that they were worked out from: a status that changed
 * meanwhile, or an object deleted and created anew, is an ApiError 409 (which the reconcile loop retries) and never overwritten. The uid
 * would not do, since the API server ignores it in the status of custom resources.
 */
export async function patchStatus<T extends WithStatus>(
  client: Client,
  object: T,
  status: NonNullable<T["status"]>,
  { subresource = true, ...options }: PatchStatusOptions = {},
): Promise<T> {
  const change = mergePatch(object.status ?? {}, status);
  if (change === undefined) return object;
  const { resourceVersion } = object.metadata;
  return await client.patch<T>(
    object,
    { merge: { metadata: { resourceVersion }, status: change } },
    subresource ? { ...options, subresource: "status" } : options,
  );
}

/** The JSON merge patch (RFC 7386) that turns `from` into `to`; undefined when they are equal. Null counts as absent, as in the RFC. */
export function mergePatch(from: unknown, to: unknown): unknown {
  if (!isFields(from) || !isFields(to)) return sameJson(from, to) ? undefined : (to ?? null);
  const changes = Object.fromEntries(
    [...new Set([...Object.keys(from), ...Object.keys(to)])]
      .map((name) => [name, mergePatch(from[name], to[name])] as const)
      .filter(([, change]) => change !== undefined),
  );
  return Object.keys(changes).length === 0 ? undefined : changes;
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sameJson(a: unknown, b: unknown): boolean {
  if (a === b || ((a ?? null) === null && (b ?? null) === null)) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, at) => sameJson(item, b[at]));
  }
  if (!isFields(a) || !isFields(b)) return false;
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) =>
    sameJson(a[name], b[name]),
  );
}

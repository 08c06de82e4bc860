import type { Client, KubeObject, WriteOptions } from "../kube/index.ts";

/** Options of patchStatus. */
export interface PatchStatusOptions extends Pick<WriteOptions, "signal" | "timeout"> {
  readonly fieldManager: string;
  /** False for kinds that keep their status in the body (Project, User); true unless told. */
  readonly subresource?: boolean;
}

/** A kind whose objects have a status. */
export type WithStatus<S> = KubeObject & { readonly status?: S };

/**
 * Makes the object's status be `status` and returns the object as it then is; sends nothing when it is so already.
 *
 * Only the fields that changed are sent, so two controllers may keep different fields of one status. A list (conditions) can only be
 * sent whole: then the object's resourceVersion goes with it, and a status that somebody changed meanwhile is an ApiError 409 rather
 * than an overwrite. The uid always goes with it: an object deleted and created anew is never given its predecessor's status.
 */
export async function patchStatus<S, T extends WithStatus<S>>(
  client: Client,
  object: T,
  status: S,
  { subresource = true, ...options }: PatchStatusOptions,
): Promise<T> {
  const change = mergePatch(object.status ?? {}, status);
  if (change === undefined) return object;
  const { uid, resourceVersion } = object.metadata;
  const metadata = hasList(change) ? { uid, resourceVersion } : { uid };
  return await client.patch<T>(
    object,
    { merge: { metadata, status: change } },
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

function hasList(value: unknown): boolean {
  if (Array.isArray(value)) return true;
  return isFields(value) && Object.values(value).some(hasList);
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

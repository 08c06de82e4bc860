/** Comparing what is wanted with what there is, field by field. */

import { createHash } from "node:crypto";

/** A field that is not as wanted: `path` as in a JSON pointer, `live` its JSON, undefined when it is missing. */
export interface Difference {
  readonly path: string;
  readonly live: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Where `live` is not as `desired` says; empty when it covers it. Fields that only `live` has are somebody else's and do not count. Lists
 * must agree in length and order, for without a schema nobody knows their keys; ownerReferences (by uid) and finalizers (as a set) are known.
 */
export function differences(desired: unknown, live: unknown, path = ""): readonly Difference[] {
  if (desired === live || desired === undefined) return [];
  if (isFields(desired) && isFields(live)) {
    return Object.entries(desired).flatMap(([name, value]) =>
      fieldDifferences(value, live[name], `${path}/${name}`),
    );
  }
  if (Array.isArray(desired) && Array.isArray(live) && desired.length === live.length) {
    return desired.flatMap((item, at) => differences(item, live[at], `${path}/${at}`));
  }
  return [{ path, live: live === undefined ? undefined : JSON.stringify(live) }];
}

/** One short text for a list of differences; equal texts mean equal paths and equal live values. */
export function fingerprint(found: readonly Difference[]): string {
  const text = found.map(({ path, live }) => `${path}=${live}`).join("\n");
  return createHash("sha256").update(text).digest("base64url");
}

/** Hash of a JSON value that does not depend on the order of its keys. */
export function contentHash(value: unknown): string {
  return createHash("sha256").update(canonical(value)).digest("hex").slice(0, 40);
}

function fieldDifferences(desired: unknown, live: unknown, path: string): readonly Difference[] {
  if (path === "/metadata/ownerReferences" && Array.isArray(desired) && Array.isArray(live)) {
    return desired.flatMap((reference, at) =>
      differences(reference, live.find(sameUid(reference)), `${path}/${at}`),
    );
  }
  if (path === "/metadata/finalizers" && Array.isArray(desired) && Array.isArray(live)) {
    return desired
      .filter((finalizer) => !live.includes(finalizer))
      .map((finalizer) => ({ path: `${path}/${finalizer}`, live: undefined }));
  }
  return differences(desired, live, path);
}

function sameUid(reference: unknown): (other: unknown) => boolean {
  return (other) => isFields(reference) && isFields(other) && reference.uid === other.uid;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isFields(value)) return JSON.stringify(value) ?? "null";
  const fields = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${fields.join(",")}}`;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

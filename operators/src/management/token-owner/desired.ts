/** Whose token it is, and from when it counts as nobody's. */

import { extKeys, extText, fromTimestamp } from "@drover/platform";
import type { KubeObject } from "kopf-ts";
import type { Secret } from "kopf-ts/kinds";

/** The user of a token; undefined when it names none. */
export function ownerOf({ userId }: { readonly userId?: unknown }): string | undefined {
  return typeof userId === "string" && userId !== "" ? userId : undefined;
}

/** The user of an ext token; undefined when it names none. */
export function ownerOfExt(secret: Secret): string | undefined {
  return extText(secret, extKeys.userId) || undefined;
}

/** Whoever applies or restores a folder of objects may create tokens some time before their users. */
const grace = 5 * 60_000;

/** Milliseconds since the epoch from which a token without a user counts as orphaned. */
export function orphanedFrom({ metadata }: KubeObject): number {
  return (fromTimestamp(metadata.creationTimestamp) ?? 0) + grace;
}

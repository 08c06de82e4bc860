/** Whose token it is, and from when it counts as nobody's. */

import { labels, type Token } from "@drover/crds";
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

/** What Kubernetes takes as the value of a label. */
const labelValue = /^(?=.{1,63}$)[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** The labels that a token lacks, by which it is found for its user; undefined if it lacks none. */
export function missingLabels(token: Token): Readonly<Record<string, string>> | undefined {
  const owner = ownerOf(token);
  if (owner === undefined || !labelValue.test(owner)) return undefined;
  return token.metadata.labels?.[labels.tokenUserId] === owner
    ? undefined
    : { [labels.tokenUserId]: owner };
}

/** Whoever applies or restores a folder of objects may create tokens some time before their users. */
const grace = 5 * 60_000;

/** Milliseconds since the epoch from which a token without a user counts as orphaned. */
export function orphanedFrom({ metadata }: KubeObject): number {
  return (fromTimestamp(metadata.creationTimestamp) ?? 0) + grace;
}

/** What a token lacks, when a SAML token is over, and what people are told of a purged token. */

import { labels, type SamlToken, type Token } from "@drover/crds";
import { fromTimestamp, toTimestamp } from "@drover/platform";
import { escapeControls, PermanentError } from "kopf-ts";

/** What Kubernetes takes as the value of a label. */
const labelValue = /^(?=.{1,63}$)[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** The merge patch that gives a token its expiresAt, and the label by which it is found for its user; undefined if it lacks neither. */
export function fillingPatch(token: Token, expiry: number | undefined): object | undefined {
  const { metadata, expiresAt } = token;
  const { userId }: { readonly userId?: unknown } = token; // without a schema, anything may be stored
  const isLabelled = metadata.labels?.[labels.tokenUserId] === userId;
  const label = typeof userId === "string" && labelValue.test(userId) && !isLabelled;
  const date = expiry !== undefined && !expiresAt;
  if (!label && !date) return undefined;
  return {
    metadata: { uid: metadata.uid, ...(label && { labels: { [labels.tokenUserId]: userId } }) },
    ...(date && { expiresAt: toTimestamp(expiry) }),
  };
}

/** So long a command line may wait for its login (rancher: pkg/auth/tokens/purge_daemon.go). */
const samlLifetime = 15 * 60_000;

/** Milliseconds since the epoch from which nobody fetches the token any more. Throws a PermanentError for one that never was created. */
export function samlExpiry({ metadata }: SamlToken): number {
  const created = fromTimestamp(metadata.creationTimestamp);
  if (created === undefined) {
    throw new PermanentError(`SAML token ${metadata.name}: creationTimestamp is not a time`);
  }
  return created + samlLifetime;
}

/** Characters of a user's id that are shown; Rancher's have some twenty. */
const longestUser = 128;

/** Whose token it is, for people: in one line, and cut. Undefined when it does not say, or not in a text. */
export function shownUser({ userId }: { readonly userId?: unknown }): string | undefined {
  if (typeof userId !== "string" || userId === "") return undefined;
  const characters = Array.from(userId.slice(0, 2 * longestUser))
    .slice(0, longestUser)
    .join("");
  return escapeControls(characters) + (characters.length < userId.length ? "..." : "");
}

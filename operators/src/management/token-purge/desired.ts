/** When a SAML token is over, and what people are told of a purged token. */

import type { SamlToken } from "@drover/crds";
import { fromTimestamp } from "@drover/platform";
import { escapeControls, PermanentError } from "kopf-ts";

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

/** What people are told of a purged token. */

import { escapeControls } from "kopf-ts";

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

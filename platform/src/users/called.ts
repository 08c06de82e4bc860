/** Whom people mean. Pure. */

import type { User } from "@drover/crds";
import type { Cache } from "kopf-ts";
import { type CacheIndex, ofName, usersByPrincipal, usersWith } from "./ensure.ts";
import { localPrincipal } from "./principals.ts";

/** Finds Users by the name they log in with. */
export const usersByUsername: CacheIndex<User> = {
  name: "users/by-username",
  of: ({ username, metadata }) =>
    username && metadata.deletionTimestamp === undefined ? [username] : [],
};

/**
 * The User of that name, with that principal (`local://u-abc12`), or who logs in by that name; undefined where there is none, or nobody can tell which of several is meant.
 * Who is being deleted is none. The cache has the indexes `usersByPrincipal` and `usersByUsername`.
 */
export function userCalled(
  text: string,
  users: Pick<Cache<User>, "get" | "byIndex">,
): User | undefined {
  const get = (name: string): User | undefined => users.get(name);
  const named = ofName(localPrincipal(text), get);
  if (named !== undefined) return named;
  const found = text.includes("://")
    ? usersWith(text, users.byIndex(usersByPrincipal.name, text))
    : users.byIndex(usersByUsername.name, text);
  return found.length > 1 ? undefined : (found[0] ?? ofName(text, get));
}

/** Whom people mean. Pure. */

import type { User } from "@drover/crds";
import type { Cache } from "kopf-ts";
import { type CacheIndex, usersByPrincipal } from "./ensure.ts";

/** Finds Users by the name they log in with. */
export const usersByUsername: CacheIndex<User> = {
  name: "by-username",
  of: ({ username, metadata }) =>
    username && metadata.deletionTimestamp === undefined ? [username] : [],
};

/** The User of that name, with that principal (`local://u-abc12`), or who logs in by that name; undefined where there is none, or nobody can tell which of two is meant. The cache has the indexes `usersByPrincipal` and `usersByUsername`. */
export function userCalled(
  text: string,
  users: Pick<Cache<User>, "get" | "byIndex">,
): User | undefined {
  const named = users.get(text);
  if (named !== undefined) return named;
  const index = text.includes("://") ? usersByPrincipal : usersByUsername;
  const [user, other] = users.byIndex(index.name, text);
  return other === undefined ? user : undefined;
}

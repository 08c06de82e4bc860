/** Ends tokens of a user that providers let in no more. */

import { labels, Token, type User } from "@drover/crds";
import { disableToken, extTokenSelector, readExtToken, readToken } from "@drover/platform";
import { type CacheAccess, type Context, type Readable, readable } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import type { Ending } from "./desired.ts";

const byUser = "user-refresh-user";

const userOfToken = ({ userId }: Token): readonly string[] => (userId ? [userId] : []);
const userOfSecret = ({ metadata }: Secret): readonly string[] => {
  const user = metadata.labels?.[labels.extUserId];
  return user ? [user] : [];
};

/** What is read to find a user's tokens. */
export const tokenReads: readonly Readable[] = [
  readable(Token, { indexes: { [byUser]: userOfToken } }),
  readable(Secret, { select: extTokenSelector, indexes: { [byUser]: userOfSecret } }),
];

/** How many tokens of each sort came to an end. */
export interface Ended {
  readonly logins: number;
  readonly derived: number;
}

/** Deletes login tokens and disables derived ones, of both stores. */
export async function endTokens(
  user: User,
  ending: Ending,
  { client, cache }: Context,
): Promise<Ended> {
  const count = { logins: 0, derived: 0 };
  for (const { object, token } of tokensOf(user, cache)) {
    if (!token.derived && ending.logins.has(token.provider)) {
      if (await client.delete(object)) count.logins += 1;
    } else if (token.derived && token.enabled && ending.derived) {
      await disableToken(client, object);
      count.derived += 1;
    }
  }
  return count;
}

function tokensOf({ metadata: { name } }: User, cache: CacheAccess) {
  const stored = [
    ...cache(Token)
      .byIndex(byUser, name)
      .map((object) => ({ object, token: readToken(object) })),
    ...cache(Secret, extTokenSelector)
      .byIndex(byUser, name)
      .map((object) => ({ object, token: readExtToken(object) })),
  ];
  return stored.flatMap(({ object, token }) => (token === undefined ? [] : [{ object, token }]));
}

/** Who a token makes its bearer (rancher: pkg/auth/requests/authenticate.go, getUserExtraInfo). Pure. */

import type { Principal, User, UserAttribute } from "@drover/crds";
import { type Caller, groupsOfLogin, localPrincipal, type StoredToken } from "@drover/platform";

/** What is known of the user of a token. */
export interface Known {
  readonly user: User | undefined;
  readonly attribute: UserAttribute | undefined;
  /** What tokens of old say of groups. */
  readonly tokenGroups?: readonly Principal[] | undefined;
  /** The Host header of the request. */
  readonly host: string | undefined;
}

/** The caller whom a token stands for: name and uid of its user, groups and principals of all its providers. */
export function callerOf(token: StoredToken, known: Known): Caller {
  return {
    username: token.userId,
    uid: token.userId,
    groups: groupsOfLogin(known.attribute, ownOf(token, known)),
    extra: {
      requesttokenid: [token.name],
      ...(known.host !== undefined && { requesthost: [known.host] }),
      ...personOf(token, known),
    },
  };
}

/** What a token tells of groups counts only where its provider told nothing of them since. */
function ownOf({ provider }: StoredToken, { attribute, tokenGroups }: Known): readonly Principal[] {
  return Object.hasOwn(attribute?.GroupPrincipals ?? {}, provider) ? [] : (tokenGroups ?? []);
}

/** Principals and login names: of the token's provider, or of all for a local login. */
function personOf(
  { provider, userId }: StoredToken,
  { user, attribute }: Known,
): Readonly<Record<"principalid" | "username", readonly string[]>> {
  const byProvider = attribute?.ExtraByProvider ?? {};
  const isLocal = provider === "" || provider === "local";
  const told = isLocal ? Object.values(byProvider) : [byProvider[provider]];
  const all = (key: string): readonly string[] => [
    ...new Set(textsOf(told.flatMap((each) => each?.[key] ?? []))),
  ];
  const username = user?.username ?? "";
  const principalIds = textsOf(user?.principalIds ?? []);
  return {
    principalid: first(all("principalid"), principalIds, [localPrincipal(userId)]),
    username: first(all("username"), username === "" ? [] : [username]),
  };
}

/** Where CRDs have no schema, anything may be stored; what is no text names nobody. */
function textsOf(values: readonly unknown[]): readonly string[] {
  return values.filter((value) => typeof value === "string");
}

/** The first list that has something. */
function first(...lists: readonly (readonly string[])[]): readonly string[] {
  return lists.find((list) => list.length > 0) ?? [];
}

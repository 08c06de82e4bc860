/** Who a token makes its bearer (rancher: pkg/auth/requests/authenticate.go, getUserExtraInfo, getGroupsForTokenAuthUser). Pure. */

import type { Principal, User, UserAttribute } from "@drover/crds";
import { type Caller, localPrincipal, type StoredToken } from "@drover/platform";

/** What is known of the user of a token. */
export interface Known {
  readonly user: User | undefined;
  readonly attribute: UserAttribute | undefined;
  /** What tokens of old say of groups. */
  readonly tokenGroups?: readonly Principal[] | undefined;
  /** The Host header of the request. */
  readonly host: string | undefined;
}

/** Everybody who logged in is in these. */
const loggedIn = ["system:authenticated", "system:cattle:authenticated"] as const;

/** Kubernetes gives these itself; what an authentication provider calls so is not that. */
const reserved = "system:";

/** The caller whom a token stands for: name and uid of its user, groups and principals of all its providers. */
export function callerOf(token: StoredToken, known: Known): Caller {
  return {
    username: token.userId,
    uid: token.userId,
    groups: [...new Set([...groupsOf(token, known), ...loggedIn])],
    extra: {
      requesttokenid: [token.name],
      ...(known.host !== undefined && { requesthost: [known.host] }),
      ...personOf(token, known),
    },
  };
}

/** Those of all providers; of the token's own only if the attribute says nothing of its provider. */
function groupsOf({ provider }: StoredToken, { attribute, tokenGroups }: Known): readonly string[] {
  const byProvider = attribute?.GroupPrincipals ?? {};
  const principals = Object.values(byProvider).flatMap((each) => each?.Items ?? []);
  const own = Object.hasOwn(byProvider, provider) ? [] : (tokenGroups ?? []);
  return [...principals, ...own].flatMap(({ metadata }) => {
    const name = metadata?.name?.replace(/^local:\/\//, "") ?? "";
    return name === "" || name.startsWith(reserved) ? [] : [name];
  });
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
    ...new Set(told.flatMap((each) => each?.[key] ?? [])),
  ];
  const principals = all("principalid");
  const names = all("username");
  const { principalIds = [], username = "" } = user ?? {};
  const own = principalIds.length > 0 ? principalIds : [localPrincipal(userId)];
  return {
    principalid: principals.length > 0 ? principals : own,
    username: names.length > 0 || username === "" ? names : [username],
  };
}

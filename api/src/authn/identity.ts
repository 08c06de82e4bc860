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

/** Groups of whoever logs in as a user, as far as the last logins told. */
export function groupsOfUser(attribute: UserAttribute | undefined): readonly string[] {
  const told = namesIn(Object.values(attribute?.GroupPrincipals ?? {}).flatMap(itemsOf));
  return [...new Set([...told, ...loggedIn])];
}

/** Those of all providers; of the token's own only if the attribute says nothing of its provider. */
function groupsOf({ provider }: StoredToken, { attribute, tokenGroups }: Known): readonly string[] {
  const byProvider = attribute?.GroupPrincipals ?? {};
  const own = Object.hasOwn(byProvider, provider) ? [] : (tokenGroups ?? []);
  return namesIn([...Object.values(byProvider).flatMap(itemsOf), ...own]);
}

function itemsOf(
  principals: { readonly Items?: readonly Principal[] | null } | null,
): readonly Principal[] {
  return principals?.Items ?? [];
}

function namesIn(principals: readonly Principal[]): readonly string[] {
  return textsOf(principals.map((each) => each?.metadata?.name))
    .map((name) => name.replace(/^local:\/\//, ""))
    .filter((name) => name !== "" && !name.startsWith(reserved));
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
  const { principalIds = [], username = "" } = user ?? {};
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

/** The groups of a login (rancher: pkg/auth/requests/authenticate.go, getGroupsForTokenAuthUser). Pure. */

import type { Principal, UserAttribute } from "@drover/crds";

/** Everybody who logged in is in these. */
const loginGroups = ["system:authenticated", "system:cattle:authenticated"] as const;

/** Kubernetes gives these itself; what an authentication provider calls so is not that. */
const reserved = "system:";
const localScheme = /^local:\/\//;

/** The groups of whoever logs in as a user, each once: those that the last logins told, those that a token tells of itself, and those of everybody. */
export function groupsOfLogin(
  attribute: UserAttribute | undefined,
  own: readonly Principal[] = [],
): readonly string[] {
  const told = Array.isArray(own) ? own : [];
  return [...new Set([...groupsOf([...principalsIn(attribute), ...told]), ...loginGroups])];
}

/** Groups that the API server itself puts whoever it takes for this user in (kubernetes: apiserver/pkg/endpoints/filters/impersonation). */
export function givenGroups(username: string): readonly string[] {
  if (username === "system:anonymous") return ["system:unauthenticated"];
  const [, namespace] = /^system:serviceaccount:([^:]+):[^:]+$/.exec(username) ?? [];
  if (namespace === undefined) return ["system:authenticated"];
  const accounts = "system:serviceaccounts";
  return [accounts, `${accounts}:${namespace}`, "system:authenticated"];
}

/** The group principals of a user at all providers, as far as the last logins told. */
function principalsIn(attribute: UserAttribute | undefined): readonly Principal[] {
  return Object.values(attribute?.GroupPrincipals ?? {}).flatMap((each) => each?.Items ?? []);
}

/** Names of groups, `local://` cut. Where CRDs have no schema anything may be stored; what is no text, or is called like a group of Kubernetes' own, names none. */
function groupsOf(principals: readonly Principal[]): readonly string[] {
  return principals
    .map((principal): unknown => principal?.metadata?.name)
    .filter((name) => typeof name === "string")
    .map((name) => name.replace(localScheme, ""))
    .filter((name) => name !== "" && !name.startsWith(reserved));
}

/** What follows from the answers of providers. */

import type { Principal, User, UserAttribute } from "@drover/crds";
import { isSystemPrincipal, isSystemUser, localPrincipal } from "@drover/platform";
import { errorAnnotation } from "./names.ts";
import type { GroupProvider } from "./provider.ts";

/** What one provider says of a user: groups, that it may not log in, or nothing, for the time being or until it logs in. */
export type Answer =
  | { readonly says: "groups"; readonly groups: readonly Principal[] }
  | { readonly says: "no-access" }
  | { readonly says: "unreachable" | "refused"; readonly error: unknown };

/** The answers by name of the provider. */
export type Answers = ReadonlyMap<string, Answer>;

/** The user's principal at a provider; undefined where it has none, or is a system account. Everybody has a local one, also who is too new to name it. */
export function principalAt({ scheme }: GroupProvider, user: User): string | undefined {
  if (isSystemUser(user)) return undefined;
  const named = user.principalIds?.find((id) => id.startsWith(scheme));
  return named ?? (scheme === localPrincipal("") ? localPrincipal(user.metadata.name) : undefined);
}

/** Which of the user's tokens end. */
export interface Ending {
  /** Providers whose login tokens are deleted. */
  readonly logins: ReadonlySet<string>;
  /** Whether all derived tokens are disabled, since no provider lets the user in. */
  readonly derived: boolean;
}

/**
 * Which tokens end: the login tokens of providers that refuse the user, or that it has no principal at (any more); and all derived ones when nobody
 * is left to let it in. Where an answer is missing, or a principal is of a provider that this server does not have, derived tokens stay (rancher:
 * pkg/auth/providerrefresh/refresher.go).
 */
export function endingOf(
  user: User,
  providers: readonly GroupProvider[],
  answers: Answers,
): Ending {
  if (isSystemUser(user)) return { logins: new Set(), derived: false };
  const said = (name: string): Answer["says"] => answers.get(name)?.says ?? "no-access";
  const closed = providers.map(({ name }) => name).filter((name) => said(name) === "no-access");
  const isForeign = (id: string): boolean =>
    !isSystemPrincipal(id) && !providers.some(({ scheme }) => id.startsWith(scheme));
  const foreign = (user.principalIds ?? []).some(isForeign);
  return { logins: new Set(closed), derived: closed.length === providers.length && !foreign };
}

/** The fields of a UserAttribute after a refresh; groups of providers that did not answer stay. `now` in milliseconds since the epoch. */
export function refreshedFields(
  attribute: UserAttribute,
  providers: readonly GroupProvider[],
  answers: Answers,
  now: number,
): Readonly<Record<string, unknown>> {
  const groups = providers.flatMap(({ name }) => {
    const answer = answers.get(name);
    if (answer?.says === "refused" || answer?.says === "unreachable") return [];
    const items = answer?.says === "groups" && answer.groups.length > 0 ? answer.groups : null;
    return [[name, { Items: items }] as const];
  });
  return {
    ...annotated(attribute, refusalIn(answers)),
    NeedsRefresh: false,
    LastRefresh: `${new Date(now).toISOString().slice(0, 19)}Z`,
    GroupPrincipals: Object.fromEntries(groups),
  };
}

/** Why groups cannot be read until the user logs in; undefined where they can. */
export function refusalIn(answers: Answers): string | undefined {
  for (const [name, answer] of answers) {
    if (answer.says !== "refused") continue;
    const text = answer.error instanceof Error ? answer.error.message : "no reason given";
    return `${name}: ${text}`.slice(0, longestError);
  }
  return undefined;
}

/** Characters of an error that are kept. */
const longestError = 500;

function annotated({ metadata }: UserAttribute, error: string | undefined): object {
  const before = metadata.annotations?.[errorAnnotation];
  if (before === error) return { metadata: { resourceVersion: metadata.resourceVersion } };
  const annotations = { [errorAnnotation]: error ?? null };
  return { metadata: { resourceVersion: metadata.resourceVersion, annotations } };
}

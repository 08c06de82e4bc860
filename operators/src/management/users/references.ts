/** What refers to a user, and the indexes that find it. */

import {
  ClusterRoleTemplateBinding,
  GlobalRoleBinding,
  labels,
  ProjectRoleTemplateBinding,
  Token,
  type User,
  UserAttribute,
} from "@drover/crds";
import { extTokenSelector } from "@drover/platform";
import { type CacheAccess, type KubeObject, type Readable, readable } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";

/** A binding as far as its user is concerned. */
interface Bound extends KubeObject {
  readonly userName?: string;
  readonly userPrincipalName?: string;
}

const bySubject = "users-subject";
const byOwner = "users-owner";

/** The user's name, or the principal while nobody has looked up whose it is. */
const subjectOf = ({ userName, userPrincipalName }: Bound): readonly string[] => {
  const subject = userName || userPrincipalName;
  return subject ? [subject] : [];
};

/** The user of an ext token. */
export const ownerOfSecret = ({ metadata }: Secret): readonly string[] => {
  const owner = metadata.labels?.[labels.extUserId];
  return owner ? [owner] : [];
};

/** The index of ext tokens by user. */
export const secretsByOwner: Readonly<Record<string, typeof ownerOfSecret>> = {
  [byOwner]: ownerOfSecret,
};

const ownerOfToken = ({ metadata, userId }: Token): readonly string[] => {
  const owner = userId || metadata.labels?.[labels.tokenUserId];
  return owner ? [owner] : [];
};

/** What is read, besides ext tokens, to find all that refers to a user. */
export const referring: readonly Readable[] = [
  readable(ClusterRoleTemplateBinding, { indexes: { [bySubject]: subjectOf } }),
  readable(ProjectRoleTemplateBinding, { indexes: { [bySubject]: subjectOf } }),
  readable(GlobalRoleBinding, { indexes: { [bySubject]: subjectOf } }),
  readable(Token, { indexes: { [byOwner]: ownerOfToken } }),
  readable(UserAttribute),
];

/** The user's global roles as bindings by name; those that only name a principal are left out. */
export function globalBindingsOf(user: User, cache: CacheAccess): readonly GlobalRoleBinding[] {
  return cache(GlobalRoleBinding).byIndex(bySubject, user.metadata.name);
}

/** The user's ext tokens, as Secrets. */
export function extTokensOf({ metadata }: User, cache: CacheAccess): readonly Secret[] {
  return cache(Secret, extTokenSelector).byIndex(byOwner, metadata.name);
}

/** Everything that has no meaning without the user, as the caches show it; what is being deleted is left out. */
export function leftBy(user: User, cache: CacheAccess): readonly KubeObject[] {
  const { name } = user.metadata;
  const subjects = [name, ...(user.principalIds ?? [])];
  const bound = (
    kind:
      | typeof GlobalRoleBinding
      | typeof ClusterRoleTemplateBinding
      | typeof ProjectRoleTemplateBinding,
  ): readonly KubeObject[] =>
    subjects.flatMap((subject) => cache<KubeObject>(kind).byIndex(bySubject, subject));
  const attribute = cache(UserAttribute).get(name);
  return [
    ...extTokensOf(user, cache),
    ...cache(Token).byIndex(byOwner, name),
    ...bound(ClusterRoleTemplateBinding),
    ...bound(ProjectRoleTemplateBinding),
    ...bound(GlobalRoleBinding),
    ...(attribute === undefined ? [] : [attribute]),
  ].filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** Kinds whose caches lost their watch; what these do not show may be there. */
export function blindKinds(cache: CacheAccess): readonly string[] {
  const caches = [
    ...[ClusterRoleTemplateBinding, ProjectRoleTemplateBinding, GlobalRoleBinding].map((kind) =>
      cache<KubeObject>(kind),
    ),
    ...[cache(Token), cache(UserAttribute), cache(Secret, extTokenSelector)],
  ];
  return caches
    .filter(({ watchState }) => watchState.phase !== "live")
    .map(({ kind }) => kind.kind);
}

/** What role template bindings of both kinds depend on, on the management cluster. */

import {
  GlobalRole,
  RoleTemplate,
  type RoleTemplateSubjects,
  roleTemplateLabels,
  roleTemplateNames,
  User,
} from "@drover/crds";
import {
  type CacheAccess,
  type Controller,
  changed,
  type Kind,
  type KubeObject,
  type Related,
  readable,
  related,
} from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, RoleBinding } from "kopf-ts/kinds";
import { claimantsOf, claimIndex } from "../claims/index.ts";
import { globalRolesForNewUsers, usersByPrincipal } from "../users/index.ts";
import { affectedTemplates, inheritsIndex, templatesOf } from "./affected.ts";
import { managementCluster } from "./bindings.ts";
import { legacyIndex } from "./legacy.ts";

/** A binding, as far as it names a template and a user. */
type Binding = KubeObject &
  Pick<RoleTemplateSubjects, "userName"> & { readonly roleTemplateName: string };

/** Names of the two indexes of bindings by which they are found. */
export interface BindingIndexes {
  /** By the label value that ClusterRoles of its template bear. */
  readonly template: string;
  readonly user: string;
}

/** Parts of a declaration. */
export type BindingSources<T extends KubeObject> = Required<
  Pick<Controller<T>, "indexes" | "related" | "reads">
>;

/**
 * Runs a binding when what it claims, what its template grants, or its user has changed. With all that `resolveTemplateSubject`, `grantedRules` and `claim` read,
 * save for what one kind alone depends on.
 */
export function bindingSources<T extends Binding>(
  kind: Kind<T>,
  { template, user }: BindingIndexes,
): BindingSources<T> {
  const ofTemplates = (owners: readonly string[], cache: CacheAccess): readonly string[] =>
    owners.flatMap((owner) => cache(kind).keysByIndex(template, owner));
  return {
    indexes: {
      [template]: ({ roleTemplateName }) => [roleTemplateNames.ownerLabel(roleTemplateName)],
      [user]: ({ userName }) => (userName ? [userName] : []),
    },
    related: [...claimedBy(kind), ...granting(ofTemplates), namedBy(kind, user)],
    reads: [
      readable(GlobalRole, {
        indexes: { [globalRolesForNewUsers.name]: globalRolesForNewUsers.of },
      }),
    ],
  };
}

function claimedBy(kind: Kind): readonly Related[] {
  const form = {
    indexes: { [claimIndex.name]: claimIndex.of, [legacyIndex.name]: legacyIndex.of },
    map: (object: KubeObject) => claimantsOf(object, kind, managementCluster),
  };
  return [related(ClusterRoleBinding, form), related(RoleBinding, form)];
}

function granting(
  ofTemplates: (owners: readonly string[], cache: CacheAccess) => readonly string[],
): readonly Related[] {
  return [
    related(ClusterRole, {
      when: changed(({ metadata: { labels, deletionTimestamp }, rules }) => [
        labels?.[roleTemplateLabels.clusterRoleOwner],
        deletionTimestamp,
        rules,
      ]),
      map: (role, cache) => ofTemplates(templatesOf(role, cache), cache),
    }),
    related(RoleTemplate, {
      indexes: { [inheritsIndex.name]: inheritsIndex.of },
      when: changed(({ metadata: { uid, generation } }) => [uid, generation]),
      map: ({ metadata }, cache) => ofTemplates(affectedTemplates(metadata.name, cache), cache),
    }),
  ];
}

function namedBy(kind: Kind, index: string): Related {
  return related(User, {
    indexes: { [usersByPrincipal.name]: usersByPrincipal.of },
    when: changed(({ metadata, principalIds }) => [
      metadata.deletionTimestamp !== undefined,
      principalIds,
    ]),
    map: ({ metadata }, cache) => cache(kind).keysByIndex(index, metadata.name),
  });
}

/** What Rancher's legacy model made on the management cluster for role template bindings (rancher: pkg/controllers/management/auth). Pure. */

import { legacyMembershipValues, membershipKey } from "@drover/crds";
import type { CacheAccess, Kind, KubeObject } from "kopf-ts";

const { projectBindingDownstream: _, ...onManagementCluster } = legacyMembershipValues;
const values: ReadonlySet<string> = new Set(Object.values(onManagementCluster));

/** Finds it by the key of the label that it has for a binding, and by the uid of the binding that it refers to. */
export const legacyIndex: {
  readonly name: string;
  readonly of: (object: KubeObject) => readonly string[];
} = {
  name: "template-bindings.legacy",
  of: ({ metadata: { labels = {}, ownerReferences = [] } }) => [
    ...Object.entries(labels).flatMap(([key, value]) => (values.has(value) ? [key] : [])),
    ...ownerReferences
      .filter(({ kind }) => kind.endsWith("RoleTemplateBinding"))
      .map(({ uid }) => uid),
  ],
};

/** Made for this binding. Needs the kind with `legacyIndex`. */
export function legacyOf(
  { metadata: { namespace = "", name, uid = "" } }: KubeObject,
  kind: Kind,
  cache: CacheAccess,
): readonly KubeObject[] {
  const values = [membershipKey(namespace, name), uid];
  return values.flatMap((value) => cache(kind).byIndex(legacyIndex.name, value));
}

/** What Rancher's legacy model made for role template bindings, on the management cluster and in others (rancher: pkg/controllers/management/auth, managementuser/rbac). Pure. */

import { legacyMembershipValues, membershipKey, roleTemplateLabels } from "@drover/crds";
import type { CacheAccess, Kind, KubeObject } from "kopf-ts";

/** An index of objects by the binding that they were made for. */
export interface LegacyIndex {
  readonly name: string;
  readonly of: (object: KubeObject) => readonly string[];
}

const { projectBindingDownstream, ...managementValues } = legacyMembershipValues;
const onManagementCluster: ReadonlySet<string> = new Set(Object.values(managementValues));

/** On the management cluster: by the key of the label that it has for a binding, and by the uid of the binding that it refers to. */
export const legacyIndex: LegacyIndex = {
  name: "template-bindings.legacy",
  of: ({ metadata: { labels = {}, ownerReferences = [] } }) => [
    ...keysOf(labels, (value) => onManagementCluster.has(value)),
    ...ownerReferences
      .filter(({ kind }) => kind.endsWith("RoleTemplateBinding"))
      .map(({ uid }) => uid),
  ],
};

/** In a managed cluster: by the value of one label; in what several bindings have in common, by the key of one each. */
export const downstreamLegacyIndex: LegacyIndex = {
  name: "template-bindings.downstream-legacy",
  of: ({ metadata: { labels = {} } }) => {
    const owner = labels[roleTemplateLabels.legacyOwner];
    const shared = keysOf(labels, (value) => value === projectBindingDownstream);
    return owner === undefined ? shared : [owner, ...shared];
  },
};

/** Made for this binding on the management cluster. Needs the kind with `legacyIndex`. */
export function legacyOf(
  { metadata: { namespace = "", name, uid = "" } }: KubeObject,
  kind: Kind,
  cache: CacheAccess,
): readonly KubeObject[] {
  const values = [membershipKey(namespace, name), uid];
  return values.flatMap((value) => cache(kind).byIndex(legacyIndex.name, value));
}

/** Made for this binding in a managed cluster. Needs the kinds with `downstreamLegacyIndex`. */
export function downstreamLegacyOf(
  { metadata: { namespace = "", name } }: KubeObject,
  kinds: readonly Kind[],
  cache: CacheAccess,
): readonly KubeObject[] {
  const owner = membershipKey(namespace, name);
  return kinds.flatMap((kind) => cache(kind).byIndex(downstreamLegacyIndex.name, owner));
}

function keysOf(
  labels: Readonly<Record<string, string>>,
  has: (value: string) => boolean,
): readonly string[] {
  return Object.entries(labels).flatMap(([key, value]) => (has(value) ? [key] : []));
}

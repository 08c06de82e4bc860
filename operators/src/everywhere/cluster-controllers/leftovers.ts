/** What a server leaves in a cluster, and how it is told from what people made (rancher: pkg/agent/clean/cluster.go). */

import { annotations, labels, parseProjectId, systemNamespace } from "@drover/crds";
import { claimsOn } from "@drover/platform";
import { type Kind, type KubeObject, markedOwnerOf, setLabel } from "kopf-ts";
import {
  ClusterRole,
  ClusterRoleBinding,
  LimitRange,
  Namespace,
  NetworkPolicy,
  ResourceQuota,
  Role,
  RoleBinding,
  Secret,
  ServiceAccount,
} from "kopf-ts/kinds";

/** Namespaces that go as a whole; the last one holds our own credentials. */
export const ourNamespaces: readonly string[] = [
  "cattle-prometheus",
  "cattle-logging",
  "cattle-fleet-system",
  "cattle-turtles-system",
  "cattle-impersonation-system",
  systemNamespace,
];

/** Both configurations of upstream's webhook. */
export const webhookConfiguration = "rancher.cattle.io";

/** By what a server says that an object is its own. */
export const creatorSelector = "cattle.io/creator=norman";

/** The role and its binding by which we may do anything in the cluster: they go with our namespace, not before. */
export const ownRole = "cattle-admin";
export const ownBinding = "cattle-admin-binding";

/** Kinds that may carry the label of the creator. */
export const rbacKinds: readonly Kind[] = [RoleBinding, Role, ClusterRoleBinding, ClusterRole];

/** Kinds whose objects owners may share: they carry claims, and no label that tells of them. */
export const claimedKinds: readonly Kind[] = [RoleBinding, ClusterRoleBinding];

/** Kinds that may be part of what an object of ours brings along. */
export const markedKinds: readonly Kind[] = [
  Role,
  ClusterRole,
  ResourceQuota,
  LimitRange,
  NetworkPolicy,
  Secret,
  ServiceAccount,
];

/** Selects what carries the marks of any set. */
export const markedSelector: string = setLabel;

/** Whether marks or claims say that a server keeps the object in this very cluster, and no other server does; a cluster may manage others itself. */
export function isMadeFor(object: KubeObject, cluster: string): boolean {
  const { labels = {}, annotations = {} } = object.metadata;
  const isOfSet = annotations["objectset.rio.cattle.io/id"]?.endsWith(`@${cluster}`) === true;
  if (isOfSet && labels[setLabel] !== undefined) return true;
  const claims = claimsOn(object);
  return claims.length > 0 && claims.every((claim) => claim.cluster === cluster);
}

/** Kinds of which a namespace gets objects because of its project: their owner is the namespace, so their marks name no cluster. */
export const namespaceKinds: readonly Kind[] = [LimitRange, NetworkPolicy];

/** Whether a namespace belongs to a project of the cluster, as this server calls it. */
export function isInProjectOf({ metadata }: Namespace, cluster: string): boolean {
  return parseProjectId(metadata.annotations?.[annotations.projectId] ?? "")?.cluster === cluster;
}

/** Whether a concern of ours made the object for the namespace that it is in. */
export function isMadeForNamespace(object: KubeObject): boolean {
  const { namespace, annotations = {} } = object.metadata;
  const owner = markedOwnerOf(object);
  const isOurs = annotations["objectset.rio.cattle.io/id"]?.startsWith("drover-") === true;
  return isOurs && owner?.kind === Namespace.kind && owner.metadata.name === namespace;
}

/** The merge patch that takes the claims of this very cluster off an object that others claim as well; undefined where there is nothing to take, or nobody else. */
export function unclaimed(object: KubeObject, cluster: string): unknown {
  const claims = claimsOn(object);
  const own = claims.filter((claim) => claim.cluster === cluster);
  if (own.length === 0 || own.length === claims.length) return undefined;
  const annotations = Object.fromEntries(own.map(({ name }) => [name, null]));
  return { metadata: { resourceVersion: object.metadata.resourceVersion, annotations } };
}

/** Whether our own access hangs on the object. */
export function isOwnAccess({ metadata: { name } }: KubeObject): boolean {
  return name === ownRole || name === ownBinding;
}

const strippedAnnotations: readonly string[] = [
  annotations.projectId,
  annotations.creatorId,
  "cattle.io/status",
  "field.cattle.io/resourceQuotaTemplateId",
  "lifecycle.cattle.io/create.namespace-auth",
];
const strippedLabels: readonly string[] = [labels.projectId];
const strippedFinalizer = "controller.cattle.io/namespace-auth";

/** The merge patch that takes from a namespace what says that it was managed; undefined when nothing does. */
export function stripped({ metadata }: Namespace): unknown {
  const labels = nulls(strippedLabels, metadata.labels);
  const annotations = nulls(strippedAnnotations, metadata.annotations);
  const finalizers = metadata.finalizers?.filter((each) => each !== strippedFinalizer);
  const isHeld = finalizers?.length !== metadata.finalizers?.length;
  if (labels === undefined && annotations === undefined && !isHeld) return undefined;
  return {
    metadata: {
      resourceVersion: metadata.resourceVersion,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(isHeld && { finalizers }),
    },
  };
}

function nulls(
  keys: readonly string[],
  present: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, null>> | undefined {
  const found = keys.filter((key) => present?.[key] !== undefined);
  return found.length === 0 ? undefined : Object.fromEntries(found.map((key) => [key, null]));
}

/** Names that people and programs see. */

import { lifecycleNames, safeConcatName } from "@drover/crds";

/** The controller; its field manager is `drover-clusters`. */
export const controllerName = "clusters";

/** Rancher's own (rancher: pkg/controllers/management/auth/project_cluster), so that either server lets go of what the other held. */
export const finalizer: string = lifecycleNames("mgmt-cluster-rbac-remove").finalizer;

/** Of Rancher's handlers whose work this concern does, or that had none for clusters as ours: nobody waits for them. */
export const legacyFinalizers: readonly string[] = [
  lifecycleNames("cluster-scoped-gc").finalizer,
  lifecycleNames("cluster-provisioner-controller").finalizer,
];

/** They go by themselves: of our clean-up in the cluster, and of Kubernetes' garbage collector. */
export const expectedFinalizers: readonly string[] = [
  lifecycleNames("cluster-agent-controller-cleanup").finalizer,
  "foregroundDeletion",
  "orphan",
];

/** Types of conditions, in the order in which they come about. */
export const conditions = {
  namespace: "BackingNamespaceCreated",
  defaultProject: "DefaultProjectCreated",
  systemProject: "SystemProjectCreated",
  creator: "CreatorMadeOwner",
  roles: "InitialRolesPopulated",
  /** While the cluster is being deleted. */
  removed: "Removed",
} as const;

/** Reasons of conditions and Events. */
export const reasons = {
  /** No namespace can have the cluster's name. */
  invalidName: "InvalidName",
  /** Somebody else's object has the name of ours. */
  nameTaken: "NameTaken",
  /** What is to be made again is still being deleted. */
  terminating: "Terminating",
  failed: "Error",
  /** Nobody is to be made owner, and why. */
  noCreator: "NoCreator",
  /** A role template that the creator is to get is not there, or locked. */
  roleTemplate: "RoleTemplateUnavailable",
  invalidAnnotation: "InvalidAnnotation",
  /** Finalizers of others hold the cluster. */
  waitsForFinalizers: "WaitsForFinalizers",
  /** Something has the name of what goes with the cluster, but is not the cluster's. */
  spared: "NotDeleted",
} as const;

/** On the two ClusterRoles by which members see the cluster: its name. */
export const clusterLabel = "drover.dev/cluster";

/** The value of that label. */
export function clusterLabelValue(cluster: string): string {
  return safeConcatName(cluster);
}

/** On a binding that was made for the creator of a cluster (rancher: pkg/controllers/management/auth/project_cluster). */
export const creatorBindingAnnotation = "authz.management.cattle.io/creator-owner-binding";

/** Indexes. */
export const indexes = {
  /** Of Projects: `<namespace>/<label>` for each of the two labels. */
  defaultProjects: "clusters.default-projects",
  /** Of Clusters: role templates that their creators still lack. */
  lacking: "clusters.lacking-role-templates",
  /** Of Clusters: by the value of the label on their roles. */
  label: "clusters.label",
} as const;

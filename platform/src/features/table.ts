/** The one table of feature flags. */

/** One feature flag. */
export interface FeatureSpec {
  readonly default: boolean;
  /** Whether a change takes effect without a restart. */
  readonly dynamic: boolean;
  readonly description: string;
  /** Upstream's default, where ours differs. */
  readonly upstream?: boolean;
  /** Once on it stays on: the value in force is locked. */
  readonly locksOn?: boolean;
  /** There is nothing else: the value in force is locked to true, whatever somebody stored. */
  readonly alwaysOn?: boolean;
}

/** As written: the names come from it. */
const table = {
  "multi-cluster-management": {
    default: true,
    dynamic: false,
    description: "Management of many clusters",
  },
  "multi-cluster-management-agent": {
    default: false,
    dynamic: false,
    description: "Controllers that run inside a managed cluster; agents only",
  },
  fleet: {
    default: false,
    dynamic: false,
    description: "Fleet, installed by the server",
    upstream: true,
  },
  "continuous-delivery": {
    default: false,
    dynamic: false,
    description: "GitOps pages of Fleet",
    upstream: true,
  },
  rke2: {
    default: false,
    dynamic: false,
    description: "Provisioning of RKE2 clusters",
    upstream: true,
  },
  provisioningv2: {
    default: false,
    dynamic: false,
    description: "Provisioning of clusters with Cluster API",
    upstream: true,
  },
  "managed-system-upgrade-controller": {
    default: false,
    dynamic: false,
    description: "Installation of the system upgrade controller",
    upstream: true,
  },
  turtles: {
    default: false,
    dynamic: false,
    description: "Cluster API through Rancher Turtles",
    upstream: true,
  },
  "cluster-autoscaling": {
    default: false,
    dynamic: false,
    description: "Autoscaling of provisioned clusters",
    upstream: true,
  },
  legacy: {
    default: false,
    dynamic: true,
    description: "Features that are about to go",
  },
  "token-hashing": {
    default: false,
    dynamic: true,
    description: "One-way hashing of tokens; once on it cannot be turned off",
    locksOn: true,
  },
  "aggregated-roletemplates": {
    default: true,
    dynamic: true,
    description: "RoleTemplates as aggregated ClusterRoles; the only model there is",
    alwaysOn: true,
  },
  "crt-token-ttl-rotation": {
    default: true,
    dynamic: true,
    description: "Rotation of registration tokens before they expire",
  },
  "clean-stale-secrets": {
    default: true,
    dynamic: false,
    description: "Removal of token Secrets that no ServiceAccount refers to",
  },
  "consistent-hashing-cluster-ownership": {
    default: true,
    dynamic: false,
    description: "Clusters spread over replicas by a stable hash",
    upstream: false,
  },
  uiextension: {
    default: true,
    dynamic: false,
    description: "Extensions of the Dashboard",
  },
  "v3-public": {
    default: true,
    dynamic: false,
    description: "Endpoints below /v3-public",
  },
  "cluster-shell": {
    default: false,
    dynamic: false,
    description: "kubectl shell in the Dashboard",
    upstream: true,
  },
  "node-shell": {
    default: false,
    dynamic: false,
    description: "Shell on nodes in the Dashboard",
    upstream: true,
  },
  "pod-shell": {
    default: false,
    dynamic: false,
    description: "Shell in Pods in the Dashboard",
    upstream: true,
  },
  "imported-day-2-ops": {
    default: false,
    dynamic: false,
    description: "Upgrades and snapshots of imported clusters",
    upstream: true,
  },
  "hide-local-auth-provider": {
    default: false,
    dynamic: true,
    description: "Hides local users and refuses new ones",
  },
  "oidc-provider": {
    default: false,
    dynamic: false,
    description: "OpenID Connect provider inside the server",
  },
  scim: {
    default: false,
    dynamic: false,
    description: "Users and groups kept by a SCIM client",
  },
  provisioningprebootstrap: {
    default: false,
    dynamic: false,
    description: "Workloads before a provisioned cluster is ready",
  },
  "provisioningv2-fleet-workspace-back-population": {
    default: false,
    dynamic: false,
    description: "Fleet workspaces of provisioned clusters may change",
  },
  "v2prov-etcd-snapshot-backpopulate": {
    default: false,
    dynamic: false,
    description: "Etcd snapshots of provisioned clusters as objects",
    upstream: true,
  },
  "rancher-scc-registration-extension": {
    default: false,
    dynamic: false,
    description: "Registration with the vendor's customer center",
  },
  "unsupported-storage-drivers": {
    default: false,
    dynamic: true,
    description: "Storage drivers that are not on by default",
  },
  "istio-virtual-service-ui": {
    default: true,
    dynamic: true,
    description: "Istio pages of the user interface",
  },
  harvester: {
    default: true,
    dynamic: true,
    description: "Import and management of Harvester clusters",
  },
  "harvester-baremetal-container-workload": {
    default: false,
    dynamic: true,
    description: "Container workloads on Harvester clusters themselves",
  },
  "cluster-agent-scheduling-customization": {
    default: false,
    dynamic: true,
    description: "PriorityClass and PodDisruptionBudget for new cluster agents",
  },
} as const;

/** Name of a feature the server knows. */
export type FeatureName = keyof typeof table;

/** Every feature the server knows (rancher: pkg/features). */
export const features: Readonly<Record<FeatureName, FeatureSpec>> = table;

/** Whether the server knows a feature of this name. */
export function isFeatureName(name: string): name is FeatureName {
  return Object.hasOwn(features, name);
}

/** All names, in the table's order. */
export const featureNames: readonly FeatureName[] = Object.keys(features).filter(isFeatureName);

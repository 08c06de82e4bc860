/** Names that people and programs see. */

import { lifecycleNames } from "@drover/crds";

/** The controller; its field manager is `drover-cluster-import`. */
export const controllerName = "cluster-import";

/** Of cluster-controllers, which takes out of a cluster what is made there. */
export const finalizer: string = lifecycleNames("cluster-agent-controller-cleanup").finalizer;

/** The key of the kubeconfig in its Secret. */
export const kubeconfigKey = "value";

/** Types of conditions. */
export const conditions = {
  /** Ours: the cluster is imported as its kubeconfig says. */
  accepted: "KubeconfigAccepted",
  /** Rancher's: the token is in a Secret (rancher: pkg/controllers/management/secretmigrator). */
  migrated: "ServiceAccountSecretsMigrated",
  connected: "Connected",
} as const;

/** Reasons of conditions and Events. */
export const reasons = {
  secretNotFound: "SecretNotFound",
  invalid: "InvalidKubeconfig",
  failed: "ImportFailed",
  otherCluster: "OtherCluster",
  /** Somebody else's Secret has the name of that with the token. */
  taken: "NameTaken",
  /** Told by cluster-controllers: the cluster no longer takes the token. */
  refused: "CredentialsRefused",
} as const;

/** Of the Secret with the token, as upstream's (rancher: pkg/controllers/management/secretmigrator). */
export const credentialPrefix = "cluster-serviceaccounttoken-";

/** On that Secret: a hash of the kubeconfig by which it came about. */
export const kubeconfigHash = "drover.dev/kubeconfig-hash";

/** Index of Clusters: the Secret with their kubeconfig. */
export const byKubeconfig = "cluster-import.kubeconfig";
/** Index of Clusters: the Secret with their token. */
export const byCredential = "cluster-import.credential";

/** What the server is in a cluster, under the names of upstream's import manifest (rancher: pkg/systemtemplate/template.go). */
export const inCluster = {
  account: "cattle",
  role: "cattle-admin",
  binding: "cattle-admin-binding",
  creatorLabel: "cattle.io/creator",
  creator: "norman",
} as const;

/** What an import makes, in the cluster and on the server. */

import { createHash } from "node:crypto";
import {
  annotations,
  type Cluster,
  type ClusterStatus,
  dataNamespace,
  systemNamespace,
} from "@drover/crds";
import { credentialKey, isCredentialOf } from "@drover/platform";
import { apiVersionOf, findCondition, type KubeObject, ownerReference } from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Namespace, Secret, ServiceAccount } from "kopf-ts/kinds";
import type { Kubeconfig } from "./kubeconfig.ts";
import { conditions, credentialPrefix, inCluster, kubeconfigHash, reasons } from "./names.ts";

/** The name of the Secret with a cluster's kubeconfig; undefined for one that is not imported by one, as the server's own. */
export function kubeconfigOf({ metadata, spec }: Cluster): string | undefined {
  if (spec?.internal === true) return undefined;
  return metadata.annotations?.[annotations.kubeconfigSecret] || undefined;
}

/** The account through which the server works in a cluster, and its rights, in the order in which they are made. */
export function accountObjects(): readonly KubeObject[] {
  const { account, role, binding } = inCluster;
  const labels = { [inCluster.creatorLabel]: inCluster.creator };
  const namespace = systemNamespace;
  const roleRef = { apiGroup: ClusterRole.group, kind: ClusterRole.kind, name: role };
  const namespaceObject: Namespace = made(Namespace, { name: namespace });
  const serviceAccount: ServiceAccount = made(ServiceAccount, { name: account, namespace });
  const clusterRole: ClusterRole = {
    ...made(ClusterRole, { name: role, labels }),
    rules: [
      { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
      { nonResourceURLs: ["*"], verbs: ["*"] },
    ],
  };
  const clusterRoleBinding: ClusterRoleBinding = {
    ...made(ClusterRoleBinding, { name: binding, labels }),
    roleRef,
    subjects: [{ kind: "ServiceAccount", name: account, namespace }],
  };
  return [namespaceObject, serviceAccount, clusterRole, clusterRoleBinding];
}

/**
 * Whether an object of the account is on its way out, itself or with a namespace that is gone: what an earlier import made is taken away in the background
 * once its Cluster is deleted, and an account that is made out of it would be gone a moment later.
 */
export function isLeaving({ metadata }: KubeObject, home: KubeObject): boolean {
  const { deletionTimestamp, ownerReferences = [] } = metadata;
  const isOrphan = ownerReferences.some(
    ({ kind, uid }) => kind === Namespace.kind && uid !== home.metadata.uid,
  );
  return deletionTimestamp !== undefined || isOrphan;
}

/** The Secret with the token. Its name follows from the Cluster: an import that is repeated after a crash finds it. */
export function credentialSecret(cluster: Cluster, token: string, { hash }: Kubeconfig): Secret {
  const { uid = "" } = cluster.metadata;
  const suffix = createHash("sha256").update(uid).digest("hex").slice(0, 10);
  return {
    ...made(Secret, {
      name: `${credentialPrefix}${suffix}`,
      namespace: dataNamespace,
      annotations: { [kubeconfigHash]: hash },
      ownerReferences: [ownerReference(cluster, { controller: false, blockOwnerDeletion: false })],
    }),
    type: "Opaque",
    data: { [credentialKey]: Buffer.from(token).toString("base64") },
  };
}

/**
 * Whether a Secret of that name is the Cluster's: it says so, or it lost all references and still bears the hash of the kubeconfig, which nobody knows who was
 * not given it. Any other one is somebody else's.
 */
export function isOurs(secret: Secret, cluster: Cluster, { hash }: Kubeconfig): boolean {
  if (isCredentialOf(secret, cluster)) return true;
  const { ownerReferences = [], annotations: notes } = secret.metadata;
  return ownerReferences.length === 0 && notes?.[kubeconfigHash] === hash;
}

/** How the cluster is reached. */
export function importedStatus(
  { status }: Cluster,
  { config, ca }: Kubeconfig,
  secret: string,
): ClusterStatus {
  return {
    driver: status?.driver || "imported",
    apiEndpoint: config.server,
    caCert: Buffer.from(ca).toString("base64"),
    serviceAccountTokenSecret: secret,
  };
}

/** Whether the cluster is reached as its kubeconfig says, and nobody has said that the token is refused. */
export function isImported(
  cluster: Cluster,
  credential: Secret | undefined,
  kubeconfig: Kubeconfig,
): boolean {
  const { status } = cluster;
  if (credential === undefined || isRefused(cluster)) return false;
  if (!isCredentialOf(credential, cluster)) return false;
  const wanted = importedStatus(cluster, kubeconfig, credential.metadata.name);
  const isReached =
    status?.apiEndpoint === wanted.apiEndpoint &&
    status?.caCert === wanted.caCert &&
    status?.serviceAccountTokenSecret === wanted.serviceAccountTokenSecret;
  const isSaid = [conditions.accepted, conditions.migrated].every(
    (type) => findCondition(status?.conditions, type)?.status === "True",
  );
  const isOfThis = credential.metadata.annotations?.[kubeconfigHash] === kubeconfig.hash;
  return isReached && isSaid && isOfThis && !!credential.data?.[credentialKey];
}

/** Whether the cluster no longer takes the token. */
export function isRefused({ status }: Cluster): boolean {
  const { status: connected, reason } =
    findCondition(status?.conditions, conditions.connected) ?? {};
  return connected === "False" && reason === reasons.refused;
}

function made(
  kind:
    | typeof Namespace
    | typeof ServiceAccount
    | typeof ClusterRole
    | typeof ClusterRoleBinding
    | typeof Secret,
  metadata: KubeObject["metadata"],
): KubeObject {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata };
}

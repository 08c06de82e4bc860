/** Clusters that are reached as those of a server are, for tests. */

import { type Cluster, dataNamespace } from "@drover/crds";
import { aCluster } from "@drover/crds/testing";
import type { ControlPlane } from "@drover/env";
import { ensureServiceAccountToken } from "@drover/platform";
import {
  apiVersionOf,
  type Client,
  connect,
  isAlreadyExists,
  type KubeObject,
  loadConfig,
  ownerReference,
} from "kopf-ts";
import { ClusterRole, ClusterRoleBinding, Namespace, Secret, ServiceAccount } from "kopf-ts/kinds";

/** What leads into a control plane. */
export interface Access {
  readonly server: string;
  /** Base64 of PEM. */
  readonly ca: string;
  readonly token: string;
}

/** Makes a service account in the control plane that may do everything, and what leads in as it. */
export async function accessTo(plane: ControlPlane, account: string): Promise<Access> {
  const config = await loadConfig({ kubeconfig: plane.kubeconfigPath });
  await using client = connect(config);
  const namespace = "default";
  const metadata = { name: account, namespace };
  await ensure(client, { apiVersion: "v1", kind: ServiceAccount.kind, metadata });
  await ensure<ClusterRoleBinding>(client, {
    apiVersion: apiVersionOf(ClusterRoleBinding),
    kind: ClusterRoleBinding.kind,
    metadata: { name: account },
    roleRef: { apiGroup: ClusterRole.group, kind: ClusterRole.kind, name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", name: account, namespace }],
  });
  const { data = {} } = await ensureServiceAccountToken(client, { metadata });
  return { server: config.server, ca: data["ca.crt"] ?? "", token: decode(data.token ?? "") };
}

/** A Cluster that is provisioned and reached by the access; its Secret is made here. */
export async function reached(
  hub: Client,
  { server, ca, token }: Access,
  create: (cluster: Cluster) => Promise<Cluster>,
): Promise<Cluster> {
  await ensure(hub, { apiVersion: "v1", kind: Namespace.kind, metadata: { name: dataNamespace } });
  const cluster = await create(aCluster());
  const name = `cluster-serviceaccounttoken-${cluster.metadata.name}`;
  await hub.create<Secret>({
    apiVersion: "v1",
    kind: Secret.kind,
    metadata: {
      name,
      namespace: dataNamespace,
      ownerReferences: [ownerReference(cluster, { controller: false, blockOwnerDeletion: false })],
    },
    data: { credential: encode(token) },
  });
  const conditions = ["Provisioned", "ServiceAccountSecretsMigrated"].map((type) => ({
    type,
    status: "True" as const,
  }));
  const status = { apiEndpoint: server, caCert: ca, serviceAccountTokenSecret: name, conditions };
  return hub.patch<Cluster>(cluster, { merge: { status } }, { subresource: "status" });
}

/** Creates the object unless there is one of its name. */
export async function ensure<T extends KubeObject>(client: Client, object: T): Promise<void> {
  await client.create(object).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64");
}

function decode(text: string): string {
  return Buffer.from(text, "base64").toString();
}

/** How a managed cluster is reached, from what its Cluster and its credentials say (rancher: pkg/clustermanager/manager.go). */

import { createHash } from "node:crypto";
import { type Cluster, dataNamespace } from "@drover/crds";
import { type ClusterConfig, findCondition } from "kopf-ts";
import type { Secret } from "kopf-ts/kinds";

/** The key of a cluster's token in its Secret. */
export const credentialKey = "credential";

/** Why a cluster cannot be reached yet. */
export interface Unreachable {
  /** A word in CamelCase. */
  readonly reason: string;
  /** Says what is missing. */
  readonly message: string;
}

/** A cluster that can be reached: where, and under which mark. */
export interface Reachable {
  readonly config: ClusterConfig;
  /** Another one as soon as address, authority, token or the Cluster object are others. No secret. */
  readonly mark: string;
}

/** The name of the Secret with the cluster's token, in namespace `cattle-global-data`; undefined while there is none. */
export function credentialSecretName({ status }: Cluster): string | undefined {
  return status?.serviceAccountTokenSecret || undefined;
}

/**
 * Whether a Secret with a token was made for this very Cluster, which its ownerReference says. The name alone tells nothing: whoever may write a Cluster's status
 * could name another one's Secret and have its token sent wherever they like. Every Secret of ours, and of a Rancher, has the reference.
 */
export function isCredentialOf(secret: Secret, { metadata: { uid } }: Cluster): boolean {
  const { ownerReferences = [] } = secret.metadata;
  return uid !== undefined && ownerReferences.some((owner) => owner.uid === uid);
}

/**
 * How the cluster is reached, or what is missing: it takes Provisioned and ServiceAccountSecretsMigrated, an endpoint, a certificate authority and a token
 * in a Secret of its own. The config shows no secret when it is printed.
 */
export function clusterConfig(
  cluster: Cluster,
  secret: Secret | undefined,
): Reachable | Unreachable {
  const missing = missingFor(cluster, secret);
  if (missing !== undefined) return missing;
  const { apiEndpoint: server = "", caCert = "" } = cluster.status ?? {};
  const ca = Buffer.from(caCert, "base64").toString();
  const token = tokenOf(secret) ?? "";
  const { name, uid = "" } = cluster.metadata;
  const config = { server, credentials: async () => ({ ca, token }), cluster: name, context: name };
  const mark = createHash("sha256")
    .update(JSON.stringify([uid, server, ca, token]))
    .digest("hex");
  return { config, mark };
}

/** Whether `clusterConfig` found a way. */
export function isReachable(found: Reachable | Unreachable): found is Reachable {
  return "config" in found;
}

const needed = ["Provisioned", "ServiceAccountSecretsMigrated"] as const;

function missingFor(cluster: Cluster, secret: Secret | undefined): Unreachable | undefined {
  const { conditions, apiEndpoint, caCert } = cluster.status ?? {};
  const lacks = needed.find((type) => findCondition(conditions, type)?.status !== "True");
  if (lacks === "Provisioned")
    return { reason: "NotProvisioned", message: "the cluster is not provisioned yet" };
  if (!apiEndpoint) return { reason: "NoEndpoint", message: "status.apiEndpoint is not set yet" };
  if (!URL.canParse(apiEndpoint) || !/^https?:/.test(apiEndpoint)) {
    return { reason: "InvalidEndpoint", message: "status.apiEndpoint is no URL of an API server" };
  }
  if (!caCert) return { reason: "NoCertificateAuthority", message: "status.caCert is not set yet" };
  if (!Buffer.from(caCert, "base64").toString().includes("-----BEGIN ")) {
    return {
      reason: "InvalidCertificateAuthority",
      message: "status.caCert is no base64 of a PEM file",
    };
  }
  if (lacks !== undefined) {
    return { reason: "TokenNotMigrated", message: `condition ${lacks} is not True yet` };
  }
  return missingToken(cluster, secret);
}

function missingToken(cluster: Cluster, secret: Secret | undefined): Unreachable | undefined {
  const name = credentialSecretName(cluster);
  if (name === undefined)
    return { reason: "NoToken", message: "status.serviceAccountTokenSecret is not set yet" };
  if (secret === undefined) {
    return {
      reason: "TokenSecretNotFound",
      message: `Secret ${dataNamespace}/${name} with the cluster's token does not exist`,
    };
  }
  if (!isCredentialOf(secret, cluster)) {
    return {
      reason: "TokenSecretOfOther",
      message: `Secret ${dataNamespace}/${name} is not the cluster's: none of its ownerReferences has the uid of the Cluster`,
    };
  }
  if (tokenOf(secret)) return undefined;
  return {
    reason: "NoToken",
    message: `Secret ${dataNamespace}/${name} has no token under key ${credentialKey}`,
  };
}

function tokenOf(secret: Secret | undefined): string | undefined {
  const data = secret?.data?.[credentialKey];
  return data && Buffer.from(data, "base64").toString().trim();
}

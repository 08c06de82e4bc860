/** Takes out of a cluster what a server left there (rancher: pkg/agent/clean/cluster.go, which runs there as a Job). */

import { dataNamespace, systemNamespace } from "@drover/crds";
import { type Client, isNotFound, type Kind, type KubeObject, ownerReference } from "kopf-ts";
import {
  ClusterRole,
  ClusterRoleBinding,
  MutatingWebhookConfiguration,
  Namespace,
  Service,
  ValidatingWebhookConfiguration,
} from "kopf-ts/kinds";
import {
  claimedKinds,
  creatorSelector,
  isInProjectOf,
  isMadeFor,
  isMadeForNamespace,
  isOwnAccess,
  markedKinds,
  markedSelector,
  namespaceKinds,
  ourNamespaces,
  ownBinding,
  ownRole,
  rbacKinds,
  stripped,
  unclaimed,
  webhookConfiguration,
} from "./leftovers.ts";

/** Which cluster, and until when. */
export interface Cleaning {
  /** Its name on the server. */
  readonly cluster: string;
  readonly signal: AbortSignal;
}

/** Milliseconds for one request: a cluster that hangs must not hold its removal. */
const timeout = 5000;

/**
 * Deletes our namespaces, roles and whatever carries our marks, and takes our words off the namespaces that stay. Our own access goes last, with its
 * namespace. Safe to repeat. False, without touching anything, where the cluster runs a server itself.
 */
export async function clean(client: Client, cleaning: Cleaning): Promise<boolean> {
  if (await runsServer(client, cleaning)) return false;
  await emptyNamespaces(client, cleaning);
  await stripNamespaces(client, cleaning);
  for (const kind of markedKinds) await deleteMade(client, kind, markedSelector, cleaning);
  for (const kind of claimedKinds) await deleteMade(client, kind, undefined, cleaning);
  for (const kind of claimedKinds) await unclaimShared(client, kind, cleaning);
  for (const kind of rbacKinds) await deleteCreated(client, kind, cleaning);
  await deleteWebhooks(client, cleaning);
  await leaveAccessToNamespace(client, cleaning);
  for (const name of ourNamespaces) await deleteNamed(client, Namespace, name, cleaning);
  return true;
}

/** Deletes what namespaces of the cluster's projects got from us; before it can no longer be told which they are. */
async function emptyNamespaces(client: Client, cleaning: Cleaning): Promise<void> {
  const { cluster, signal } = cleaning;
  const ours = new Set<string>();
  for await (const { items } of client.pages(Namespace, { signal, timeout })) {
    for (const each of items) if (isInProjectOf(each, cluster)) ours.add(each.metadata.name);
  }
  for (const kind of namespaceKinds) {
    const options = { labelSelector: markedSelector, signal, timeout };
    for await (const { items } of client.pages(kind, options)) {
      const made = items.filter(
        (each) => ours.has(each.metadata.namespace ?? "") && isMadeForNamespace(each),
      );
      for (const each of made) await deleteOne(client, each, cleaning);
    }
  }
}

/** Takes our words off every namespace: all that is to be done for the server's own cluster. */
export async function stripNamespaces(client: Client, { signal }: Cleaning): Promise<void> {
  for await (const { items } of client.pages(Namespace, { signal, timeout })) {
    for (const namespace of items) {
      const merge = stripped(namespace);
      if (merge !== undefined) await client.patch(namespace, { merge }, { signal, timeout });
    }
  }
}

async function runsServer(client: Client, { signal }: Cleaning): Promise<boolean> {
  const options = { signal, timeout };
  const rancher = await client.find(Service, "rancher", { ...options, namespace: systemNamespace });
  return (
    rancher !== undefined || (await client.find(Namespace, dataNamespace, options)) !== undefined
  );
}

async function deleteMade(
  client: Client,
  kind: Kind,
  labelSelector: string | undefined,
  cleaning: Cleaning,
): Promise<void> {
  const options = { labelSelector, signal: cleaning.signal, timeout };
  for await (const { items } of client.pages(kind, options)) {
    const ours = items.filter((each) => isMadeFor(each, cleaning.cluster) && !isOwnAccess(each));
    for (const each of ours) await deleteOne(client, each, cleaning);
  }
}

/** What owners elsewhere claim as well stays with them: a claim of ours would keep it for ever. */
async function unclaimShared(client: Client, kind: Kind, cleaning: Cleaning): Promise<void> {
  const options = { signal: cleaning.signal, timeout };
  for await (const { items } of client.pages(kind, options)) {
    for (const each of items) {
      const merge = unclaimed(each, cleaning.cluster);
      if (merge !== undefined) await client.patch(each, { merge }, options);
    }
  }
}

async function deleteCreated(client: Client, kind: Kind, cleaning: Cleaning): Promise<void> {
  const options = { labelSelector: creatorSelector, signal: cleaning.signal, timeout };
  for await (const { items } of client.pages(kind, options)) {
    const others = items.filter((each) => !isOwnAccess(each));
    for (const each of others) await deleteOne(client, each, cleaning);
  }
}

async function deleteWebhooks(client: Client, cleaning: Cleaning): Promise<void> {
  for (const kind of [MutatingWebhookConfiguration, ValidatingWebhookConfiguration]) {
    await deleteNamed<KubeObject>(client, kind, webhookConfiguration, cleaning);
  }
}

/** What lets us in becomes a dependent of our namespace, so that garbage collection takes it once we no longer need it. */
async function leaveAccessToNamespace(client: Client, { signal }: Cleaning): Promise<void> {
  const options = { signal, timeout };
  const home = await client.find(Namespace, systemNamespace, options);
  if (home === undefined) return;
  const owner = ownerReference(home, { controller: false, blockOwnerDeletion: false });
  const found = [
    await client.find(ClusterRoleBinding, ownBinding, options),
    await client.find(ClusterRole, ownRole, options),
  ];
  for (const each of found) {
    if (each === undefined) continue;
    const merge = { metadata: { uid: each.metadata.uid, ownerReferences: [owner] } };
    await client.patch(each, { merge }, options);
  }
}

async function deleteNamed<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  name: string,
  cleaning: Cleaning,
): Promise<void> {
  const { signal } = cleaning;
  const found = await client.find(kind, name, { signal, timeout }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (found?.metadata.deletionTimestamp === undefined && found !== undefined) {
    await deleteOne(client, found, cleaning);
  }
}

async function deleteOne(client: Client, object: KubeObject, { signal }: Cleaning): Promise<void> {
  await client.delete(object, { preconditions: "uid", signal, timeout });
}

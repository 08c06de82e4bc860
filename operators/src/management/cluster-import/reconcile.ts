/** Imports a cluster by its kubeconfig: an account of ours there, and here the way to it. */

import { annotations, type Cluster, dataNamespace, systemNamespace } from "@drover/crds";
import {
  credentialKey,
  credentialSecretName,
  ensureServiceAccountToken,
  isCredentialOf,
  tellConditions,
  userAgent,
} from "@drover/platform";
import {
  addFinalizer,
  type Client,
  type Context,
  connect,
  done,
  hasFinalizer,
  isAlreadyExists,
  type KubeObject,
  messageOf,
  Outdated,
  type Result,
  requeueAfter,
} from "kopf-ts";
import { Namespace, Secret } from "kopf-ts/kinds";
import {
  accountObjects,
  credentialSecret,
  importedStatus,
  isImported,
  isLeaving,
  isOurs,
  isRefused,
  kubeconfigOf,
} from "./desired.ts";
import { type Kubeconfig, RefusedKubeconfig, readKubeconfig } from "./kubeconfig.ts";
import { conditions, controllerName, finalizer, inCluster, reasons } from "./names.ts";

/** Milliseconds until a cluster that could not be imported, or no longer takes its token, is tried again. */
const later = 30_000;
/** Milliseconds until it is looked again whether what an earlier import made is gone. */
const soon = 3000;
/** Characters of a message: names in a kubeconfig, and what a cluster answers, may be of any length. */
const longest = 500;
/** For one request to the cluster. */
const timeout = 10_000;

/** Thrown when the kubeconfig leads to another cluster than the one that was imported, or to the server's own. */
class OtherCluster extends Error {}

/** Thrown while the cluster still takes away what an earlier import made. */
class Leaving extends Error {}

/** Follows the kubeconfig that the Cluster names. What is wrong with it is a condition; nobody is asked again before it changes. */
export async function importCluster(cluster: Cluster, context: Context): Promise<Result> {
  const name = kubeconfigOf(cluster);
  if (name === undefined) return done;
  const secret = context.cache(Secret).get(`${dataNamespace}/${name}`);
  if (secret === undefined) {
    const message = `Secret ${dataNamespace}/${name} with the kubeconfig does not exist`;
    return fail(cluster, context, reasons.secretNotFound, message);
  }
  const kubeconfig = await readKubeconfig(secret).catch(asRefusal);
  if (kubeconfig instanceof RefusedKubeconfig) {
    return fail(cluster, context, reasons.invalid, kubeconfig.message);
  }
  if (isImported(cluster, credentialOf(cluster, context), kubeconfig)) return done;
  return follow(cluster, context, kubeconfig);
}

async function follow(cluster: Cluster, context: Context, kubeconfig: Kubeconfig): Promise<Result> {
  let token: string;
  try {
    token = await enter(cluster, context, kubeconfig);
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof Outdated) throw error; // of the Cluster, not of what its kubeconfig leads to
    if (error instanceof OtherCluster) {
      return fail(cluster, context, reasons.otherCluster, error.message);
    }
    await fail(cluster, context, reasons.failed, messageOf(error));
    return requeueAfter(error instanceof Leaving ? soon : later);
  }
  const secret = await store(cluster, context, kubeconfig, token);
  if (secret === undefined) {
    const { name } = credentialSecret(cluster, token, kubeconfig).metadata;
    const message = `Secret ${dataNamespace}/${name}, in which the token is to be kept, is not the cluster's: delete it`;
    await fail(cluster, context, reasons.taken, message);
    return requeueAfter(later);
  }
  await tellImported(cluster, context, kubeconfig, secret);
  return isRefused(cluster) ? requeueAfter(later) : done;
}

/** A token of our account in the cluster, which is made where it is missing. */
async function enter(cluster: Cluster, context: Context, { config }: Kubeconfig): Promise<string> {
  const { signal, clock } = context;
  await using client = connect(config, { userAgent, timeout });
  await checkIdentity(cluster, client, context);
  await hold(cluster, context);
  await makeAccount(client, signal);
  const metadata = { name: inCluster.account, namespace: systemNamespace };
  const { data = {} } = await ensureServiceAccountToken(client, { metadata }, { clock, signal });
  return Buffer.from(data.token ?? "", "base64").toString();
}

async function makeAccount(client: Client, signal: AbortSignal): Promise<void> {
  let home: KubeObject | undefined;
  for (const object of accountObjects()) {
    const made = await client.apply(object, { fieldManager: `drover-${controllerName}`, signal });
    home ??= made; // the namespace comes first
    if (!isLeaving(made, home)) continue;
    throw new Leaving(
      `${object.kind} ${object.metadata.name} of an earlier import is being deleted in the cluster: waiting until it is gone`,
    );
  }
}

/** From the first write there the Cluster stays until the cluster is cleaned up, also one that is deleted before it was ever ready. */
async function hold(cluster: Cluster, { client }: Context): Promise<void> {
  if (hasFinalizer(cluster, finalizer)) return;
  const held = await addFinalizer(client, cluster, finalizer);
  if (held === undefined) throw new Outdated("the Cluster is gone");
}

/** Nothing is written to a cluster that is not the one that it was, nor to the server's own under another name. */
async function checkIdentity(
  cluster: Cluster,
  remote: Client,
  { client, signal }: Context,
): Promise<void> {
  const uidOf = async (one: Client): Promise<string | undefined> =>
    (await one.get(Namespace, "kube-system", { signal })).metadata?.uid; // whoever answers may be no API server
  const found = await uidOf(remote);
  if (!found) {
    throw new Error(
      `what answers at ${remote.server} has no uid for namespace kube-system; is this the address of an API server?`,
    );
  }
  if (found === (await uidOf(client))) {
    throw new OtherCluster(
      "the kubeconfig leads to the server's own cluster, which is managed as `local`; delete this Cluster",
    );
  }
  const known = cluster.metadata.annotations?.[annotations.clusterUid];
  if (!known || known === found) return;
  throw new OtherCluster(
    `the kubeconfig leads to another cluster: the uid of its namespace kube-system is ${found}, not ${known}. If it is the right one, set annotation ${annotations.clusterUid} to ${found}`,
  );
}

async function tellImported(
  cluster: Cluster,
  context: Context,
  kubeconfig: Kubeconfig,
  secret: Secret,
): Promise<void> {
  const told = [
    { type: conditions.accepted, status: "True" },
    { type: conditions.migrated, status: "True" },
  ] as const;
  const fields = importedStatus(cluster, kubeconfig, secret.metadata.name);
  await tellConditions(cluster, told, context, fields);
}

/** The Secret with the token, written where it is not as wanted; undefined where one of that name is not the Cluster's, which is never touched. */
async function store(
  cluster: Cluster,
  { client, cache }: Context,
  kubeconfig: Kubeconfig,
  token: string,
): Promise<Secret | undefined> {
  const wanted = credentialSecret(cluster, token, kubeconfig);
  const { name, namespace, annotations, ownerReferences } = wanted.metadata;
  const known = cache(Secret).get(`${namespace}/${name}`) ?? (await create(wanted, client));
  if (!isOurs(known, cluster, kubeconfig)) return undefined;
  if (isSame(known, wanted) && isCredentialOf(known, cluster)) return known;
  const { resourceVersion } = known.metadata;
  const lost = isCredentialOf(known, cluster) ? {} : { ownerReferences };
  const merge = { metadata: { resourceVersion, annotations, ...lost }, data: wanted.data };
  return client.patch<Secret>(known, { merge });
}

async function create(wanted: Secret, client: Client): Promise<Secret> {
  const { name, namespace } = wanted.metadata;
  try {
    return await client.create(wanted);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return client.get(Secret, name, { namespace });
  }
}

function isSame(known: Secret, wanted: Secret): boolean {
  const notes = Object.entries(wanted.metadata.annotations ?? {});
  return (
    known.data?.[credentialKey] === wanted.data?.[credentialKey] &&
    notes.every(([key, value]) => known.metadata.annotations?.[key] === value)
  );
}

function credentialOf(cluster: Cluster, { cache }: Context): Secret | undefined {
  const name = credentialSecretName(cluster);
  return name === undefined ? undefined : cache(Secret).get(`${dataNamespace}/${name}`);
}

async function fail(
  cluster: Cluster,
  context: Context,
  reason: string,
  message: string,
): Promise<Result> {
  await tellConditions(
    cluster,
    [{ type: conditions.accepted, status: "False", reason, message: message.slice(0, longest) }],
    context,
  );
  return done;
}

function asRefusal(error: unknown): RefusedKubeconfig {
  if (error instanceof RefusedKubeconfig) return error;
  throw error;
}

import { Cluster, Project } from "@drover/crds";
import {
  applySet,
  type Context,
  claimOf,
  done,
  isConflict,
  isNotFound,
  keyOf,
  type Result,
  refTo,
  TemporaryError,
} from "kopf-ts";
import { type Namespace, NetworkPolicy, Node, Pod, Service } from "kopf-ts/kinds";
import {
  type Around,
  addressOf,
  idIn,
  isOurs,
  memberOf,
  podNameOf,
  policiesOf,
} from "./desired.ts";
import { indexes, podNameLabel, policyNames, reasons } from "./names.ts";

/** Makes the namespace have the policies that keep its project apart, or none of them where nobody asks for that. */
export async function reconcile(namespace: Namespace, context: Context): Promise<Result> {
  const cluster = context.hub.cache(Cluster).get(context.cluster);
  if (cluster === undefined || isElsewhere(namespace, context)) return done;
  const there = policiesIn(namespace, context);
  const set = { id: context.client.fieldManager ?? "" };
  const ours = there.filter((policy) => isOurs(policy, set));
  const isOn = cluster.spec?.enableNetworkPolicy === true && idIn(namespace) !== undefined;
  const wanted = isOn ? wantedIn(namespace, there.length > ours.length, context) : [];
  const strangers = there.filter((policy) => !ours.includes(policy)).map(keyOf);
  const taken = wanted.filter((policy) => strangers.includes(keyOf(policy)));
  for (const { metadata } of taken) {
    const message = `NetworkPolicy ${metadata.name} was made by somebody else and stays: rename or delete it`;
    context.events.warning(reasons.nameTaken, message);
  }

  const { client, cache, signal } = context;
  const objects = wanted.filter((policy) => !taken.includes(policy));
  await applySet(client, objects, {
    owner: namespace,
    ownerReference: "none",
    prune: [NetworkPolicy],
    caches: () => cache(NetworkPolicy),
    signal,
  });
  await removeOld(ours, new Set(objects.map(keyOf)), context);
  await labelPods(namespace, objects, context);
  return done;
}

/** So that the policies find the Pods that they are for. */
async function labelPods(
  { metadata }: Namespace,
  policies: readonly NetworkPolicy[],
  { cache, client }: Context,
): Promise<void> {
  const names = policies.map((policy) => policy.metadata.name);
  for (const pod of cache(Pod).byIndex(indexes.exposed, metadata.name)) {
    const { name, namespace = "", uid, labels } = pod.metadata;
    const label = podNameOf(pod);
    const isSelected = names.includes(policyNames.pod(name));
    if (!isSelected || labels?.[podNameLabel] === label) continue;
    const merge = { metadata: { uid, labels: { [podNameLabel]: label } } };
    await client.patch<Pod>(refTo(Pod, name, namespace), { merge }).catch((error: unknown) => {
      if (!isNotFound(error) && !isConflict(error)) throw error; // another Pod of the name has a run of its own
    });
  }
}

/** What another hub looks after, or what nobody knows, is left as it is. */
function isElsewhere(namespace: Namespace, { hub, cluster }: Context): boolean {
  const id = idIn(namespace);
  if (id === undefined) return false;
  const [key = ""] = memberOf(namespace);
  return id.cluster !== cluster || hub.cache(Project).get(key) === undefined;
}

function policiesIn({ metadata }: Namespace, { cache }: Context): readonly NetworkPolicy[] {
  const found = cache(NetworkPolicy).byIndex(indexes.home, metadata.name);
  return found.filter((policy) => policy.metadata.deletionTimestamp === undefined);
}

function wantedIn(
  namespace: Namespace,
  hasOthers: boolean,
  { cache, cluster, hub }: Context,
): readonly NetworkPolicy[] {
  const { name } = namespace.metadata;
  const systems = hub.cache(Project).byIndex(indexes.system, cluster);
  const nodes = cache(Node)
    .list()
    .flatMap((node) => addressOf(node) ?? []);
  const around: Around = {
    project: idIn(namespace)?.project ?? "",
    system: systems.map(({ metadata }) => metadata.name).toSorted()[0],
    nodes: [...new Set(nodes)].toSorted(),
    services: cache(Service).byIndex(indexes.open, name),
    pods: cache(Pod).byIndex(indexes.exposed, name),
    hasOthers,
  };
  return policiesOf(name, around);
}

/** Members of the set were pruned by it; here goes what a Rancher before us made. */
async function removeOld(
  ours: readonly NetworkPolicy[],
  wanted: ReadonlySet<string>,
  { cache, client }: Context,
): Promise<void> {
  const left = ours.filter((policy) => claimOf(policy) === undefined && !wanted.has(keyOf(policy)));
  if (left.length === 0) return;
  const { synced, watchState } = cache(NetworkPolicy);
  if (!synced || watchState.phase === "degraded") {
    throw new TemporaryError("the cache of network policies is out of touch with the server");
  }
  for (const policy of left) await client.delete(policy);
}

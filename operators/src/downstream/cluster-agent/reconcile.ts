import {
  agentConditions,
  agentNames,
  type Cluster,
  ClusterRegistrationToken,
  Node,
  needsAgent,
  registrationTokenNames,
  Setting,
} from "@drover/crds";
import {
  type AgentInput,
  agentInput,
  agentObjects,
  appliedAgent,
  type Environment,
  isTrue,
  liveSettings,
  type RedeployReason,
  redeployReasons,
  tellConditions,
  tokenHash,
} from "@drover/platform";
import {
  ApplyError,
  applySet,
  type Context,
  done,
  type Hub,
  isAlreadyExists,
  isInvalid,
  type Kind,
  messageOf,
  type Result,
  refTo,
  type SelectorOptions,
} from "kopf-ts";
import { Deployment, Namespace, Secret } from "kopf-ts/kinds";
import { controlPlaneTaints, pullSecretsOf, registrationValueOf, secretKeyOf } from "./desired.ts";
import { nodesByCluster, provisioned, pullSecrets, reasons } from "./names.ts";

/** What all runs share. */
export interface Shared {
  /** Overrides settings. */
  readonly env: Environment;
  /** Tells the Secrets of registration tokens from others of the hub. */
  readonly tokenSecrets: SelectorOptions;
  /** Kinds that the agent consists of, and of which what is no longer wanted is deleted. */
  readonly prune: readonly Kind[];
  /** Kinds of which nothing is deleted. */
  readonly keep: readonly Kind[];
}

/** Makes the agent in the cluster be as it should, and tells in the Cluster what runs there. */
export async function reconcile(
  cluster: Cluster,
  context: Context,
  shared: Shared,
): Promise<Result> {
  const nodes = context.hub.cache(Node).byIndex(nodesByCluster, cluster.metadata.name);
  if (!needsAgent(cluster) || !isTrue(cluster, provisioned) || nodes.length === 0) return done;
  const input = inputFor(cluster, nodes, context, shared);
  if (typeof input === "string") {
    await tell(cluster, input, waiting[input], context);
    return done; // what is missing brings the next run
  }
  const key = `${agentNames.namespace}/${agentNames.deployment}`;
  const why = redeployReasons(cluster, input, context.cache(Deployment).get(key));
  const isTaken = await apply(cluster, input, context, shared);
  if (isTaken && why.length > 0) await note(cluster, input, why, context);
  return done;
}

const waiting = {
  [reasons.noServerUrl]: "agents do not know where the server is: set setting server-url",
  [reasons.noToken]: `ClusterRegistrationToken ${registrationTokenNames.systemToken} has no value yet`,
} as const;

/** What the agent follows from, or why that is not known yet. */
function inputFor(
  cluster: Cluster,
  nodes: readonly Node[],
  { hub }: Context,
  { env, tokenSecrets }: Shared,
): AgentInput | keyof typeof waiting {
  const settings = liveSettings(hub.cache(Setting), env);
  if (settings.text("server-url") === "") return reasons.noServerUrl;
  const key = `${cluster.metadata.name}/${registrationTokenNames.systemToken}`;
  const registration = hub.cache(ClusterRegistrationToken).get(key);
  const secret = hub.cache(Secret, tokenSecrets).get(secretKeyOf(registration) ?? "");
  const token = registrationValueOf(registration, secret);
  if (token === undefined) return reasons.noToken;
  const { found } = pullSecretsFor(cluster, hub);
  const taints = controlPlaneTaints(nodes);
  return agentInput({ cluster, settings, token, taints, pullSecrets: found });
}

function pullSecretsFor(cluster: Cluster, hub: Hub): ReturnType<typeof pullSecretsOf> {
  const cache = hub.cache(Secret, pullSecrets);
  return pullSecretsOf(cluster, (name) => cache.get(`${pullSecrets.namespace}/${name}`));
}

/**
 * Sends nothing for what is in order. Answers false for what the cluster will not have (422), which only a change brings to another end. The Secrets of
 * tokens before are the agent's to delete: a Pod of its may still have one.
 */
async function apply(
  cluster: Cluster,
  input: AgentInput,
  context: Context,
  { prune, keep }: Shared,
): Promise<boolean> {
  const { client, cache, signal } = context;
  const caches = (kind: Kind) => cache(kind);
  const options = { owner: cluster, prune, keep, caches, signal };
  await ensureNamespace(context);
  const objects = agentObjects(input).filter(({ kind }) => kind !== Namespace.kind);
  try {
    await applySet(client, objects, options);
    return true;
  } catch (error) {
    if (!(error instanceof ApplyError)) throw error;
    await tell(cluster, reasons.failed, shortened(messageOf(error)), context);
    if (!error.failures.every((failure) => isInvalid(failure.error))) throw error;
    return false;
  }
}

/** Everybody's, so it gets no owner. */
async function ensureNamespace({ cache, client }: Context): Promise<void> {
  const { namespace: name } = agentNames;
  if (cache(Namespace).has(name)) return;
  await client.create(refTo(Namespace, name)).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

/** Of messages of a server, which may quote whole objects. */
const longest = 500;

function shortened(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

/** Remembers what was deployed, so that the next difference is seen. */
async function note(
  cluster: Cluster,
  input: AgentInput,
  why: readonly RedeployReason[],
  { hub, clock, events, log }: Context,
): Promise<void> {
  const { forceDeploy, tokenHash: hashKey } = agentNames;
  const noted = cluster.metadata.annotations ?? {};
  const annotations = {
    ...(noted[forceDeploy] === "true" && { [forceDeploy]: "false" }),
    ...(noted[hashKey] !== tokenHash(input) && { [hashKey]: tokenHash(input) }),
  };
  const { uid, resourceVersion } = cluster.metadata;
  const merge = { metadata: { uid, resourceVersion, annotations } };
  const annotated =
    Object.keys(annotations).length === 0
      ? cluster
      : await hub.client.patch<Cluster>(cluster, { merge });
  const told = [{ type: agentConditions.deployed, status: "True" } as const];
  await tellConditions(
    annotated,
    told,
    { client: hub.client, clock, events },
    appliedAgent(cluster, input),
  );
  const { missing } = pullSecretsFor(cluster, hub);
  if (missing.length > 0) {
    const message = `no pull Secret in namespace ${pullSecrets.namespace}: ${missing.join(", ")}`;
    events.warning(reasons.noPullSecret, message);
  }
  events.normal(reasons.deployed, `deployed the agent: ${why.join(", ")}`);
  log.info("deployed the agent of a cluster", { reasons: why });
}

async function tell(
  cluster: Cluster,
  reason: string,
  message: string,
  { hub, clock, events }: Context,
): Promise<void> {
  const type = agentConditions.deployed;
  const told = [{ type, status: "False", reason, message } as const];
  await tellConditions(cluster, told, { client: hub.client, clock, events });
}

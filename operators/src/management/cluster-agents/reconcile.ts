import {
  agentConditions,
  type Cluster,
  ClusterRegistrationToken,
  ClusterRoleTemplateBinding,
  GlobalRole,
  Node,
  needsAgent,
  registrationTokenNames,
  systemAccountNames,
  User,
} from "@drover/crds";
import {
  ensureUser,
  isTrue,
  type Part,
  type Problem,
  settle,
  tell,
  tellConditions,
  throwForRetry,
} from "@drover/platform";
import {
  type Context,
  done,
  isAlreadyExists,
  type NormanConditionUpdate,
  type Result,
} from "kopf-ts";
import { accountBinding, grantsOtherwise, systemToken } from "./desired.ts";
import { accountLabel, nodesByCluster, provisioned, reasons } from "./names.ts";

/** Gives a cluster its system account, and the token of its agent; says of one without an agent that it needs none. */
export async function reconcile(cluster: Cluster, context: Context): Promise<Result> {
  const { name } = cluster.metadata;
  const isKnown = context.cache(Node).keysByIndex(nodesByCluster, name).length > 0;
  if (!isTrue(cluster, provisioned) || !isKnown) return done;

  const problems = await settleAccount(cluster, context);
  await tellConditions(cluster, [account(problems), ...direct(cluster)], context);
  throwForRetry(problems);
  if (needsAgent(cluster)) await ensureToken(name, context);
  return done;
}

async function settleAccount(cluster: Cluster, context: Context): Promise<readonly Problem[]> {
  const { client, cache } = context;
  const { name } = cluster.metadata;
  const sources = { client, users: cache(User), globalRoles: cache(GlobalRole) };
  const { principal, displayName } = systemAccountNames;
  const user = await ensureUser(sources, principal(name), displayName(name));
  const part: Part = {
    id: "account",
    kinds: [ClusterRoleTemplateBinding],
    objects: [accountBinding(cluster, user)],
    mustReplace: grantsOtherwise as NonNullable<Part["mustReplace"]>, // only ever asked about its kind
  };
  const label = { key: accountLabel, value: name };
  return (await settle([part], { owner: cluster, label }, context)).flat();
}

function account([first, ...rest]: readonly Problem[]): NormanConditionUpdate {
  const type = agentConditions.account;
  if (first === undefined) return { type, status: "True" };
  return { type, status: "False", ...tell([first, ...rest]), reason: reasons.noBinding };
}

/** Whoever deploys an agent tells of it; nobody else would say why there is none. */
function direct(cluster: Cluster): readonly NormanConditionUpdate[] {
  if (needsAgent(cluster) || cluster.spec?.internal === true) return [];
  const message = "a kubeconfig leads to the cluster, so it runs no agent";
  return [{ type: agentConditions.deployed, status: "True", reason: reasons.direct, message }];
}

async function ensureToken(cluster: string, { cache, client }: Context): Promise<void> {
  const key = `${cluster}/${registrationTokenNames.systemToken}`;
  if (cache(ClusterRegistrationToken).has(key)) return;
  await client.create(systemToken(cluster)).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

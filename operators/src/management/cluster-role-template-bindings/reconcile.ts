import {
  Cluster,
  ClusterRoleTemplateBinding,
  clusterBindingOwnerKey,
  GlobalRole,
  isClusterFinalizer,
  membershipKey,
  type RoleTemplate,
  User,
} from "@drover/crds";
import {
  claim,
  clusterMembership,
  completeBinding,
  grantedRules,
  holds,
  isOpenIn,
  legacyOf,
  localStatusOf,
  managementClaimant,
  type Obstacle,
  type Problem,
  type ResolvedSubject,
  resolveTemplateSubject,
  summaryOf,
  tell,
  tellFailures,
  throwForRetry,
  unclaim,
} from "@drover/platform";
import {
  type ConditionUpdate,
  type Context,
  done,
  keyOf,
  parseKey,
  patchStatus,
  type Result,
  removeFinalizer,
  requeueAfter,
} from "kopf-ts";
import { ClusterRoleBinding, RoleBinding } from "kopf-ts/kinds";
import { type Grant, rights } from "./desired.ts";
import { dropDuplicates } from "./duplicates.ts";
import { conditions, legacyFinalizers, reasons } from "./names.ts";
import { referredBy, surroundingsOf } from "./surroundings.ts";
import { isToldByCluster, patience, waiting } from "./waiting.ts";

/** Makes what a binding stands for on the management cluster be there, and tells in its status how that went. */
export async function reconcile(
  binding: ClusterRoleTemplateBinding,
  context: Context,
): Promise<Result> {
  if (binding.metadata.deletionTimestamp !== undefined) return letGo(binding, context);
  if (await dropDuplicates(binding, context)) return done;
  const referred = await referredBy(binding, context);
  const resolved = await subjectOf(binding, context);
  const full = await completeBinding(binding, resolved.fields, context.client);

  const { grant, unclear } = grantOf(full, referred.template, resolved, context);
  const [seen, granted] = await carryOut(full, referred.template, grant, context);
  const obstacle = referred.obstacle ?? (grant === undefined ? resolved.obstacle : undefined);
  const told = [
    conditionOf(conditions.subject, [], resolved.obstacle),
    conditionOf(conditions.membership, seen, obstacle ?? unclear),
    conditionOf(conditions.bindings, granted, obstacle),
  ];
  const cluster = referred.obstacle ? undefined : context.cache(Cluster).get(full.clusterName);
  const waits = cluster && waiting(full, cluster);
  await report(full, told, waits, context);
  throwForRetry([...seen, ...granted, ...(resolved.obstacle ? [resolved.obstacle] : [])]);
  const mayWait = cluster !== undefined && waits === undefined && !isToldByCluster(full);
  return mayWait ? requeueAfter(patience) : done;
}

/** The binding was deleted: so is what it granted, at once, also what a process before this one could not. */
export async function forget(key: string, context: Context): Promise<Result> {
  const run = runOf(context);
  const problems = [
    ...(await unclaim([ClusterRoleBinding], memberOf(key), run)),
    ...(await unclaim([RoleBinding], holderOf(key), run)),
  ];
  throwForRetry(problems);
  return done;
}

/** While finalizers of others hold a binding that is being deleted, it grants nothing any more. */
async function letGo(binding: ClusterRoleTemplateBinding, context: Context): Promise<Result> {
  const problems = (await carryOut(binding, undefined, undefined, context)).flat();
  const { finalizers = [], namespace = "" } = binding.metadata;
  const isLegacy = (name: string): boolean =>
    legacyFinalizers.includes(name) || isClusterFinalizer(name, namespace);
  const legacy = finalizers.find(isLegacy);
  if (legacy !== undefined) await removeFinalizer(context.client, binding, legacy);
  else if (finalizers.length > 0) {
    const status = localStatusOf(
      binding,
      { conditions: [], summary: "Terminating" },
      context.clock,
    );
    await patchStatus(context.client, binding, status);
  }
  throwForRetry(problems);
  return done;
}

function subjectOf(
  binding: ClusterRoleTemplateBinding,
  { client, cache }: Context,
): Promise<ResolvedSubject> {
  const sources = { client, users: cache(User), globalRoles: cache(GlobalRole) };
  return resolveTemplateSubject(binding, sources);
}

/** What is to be granted, and why it may not be all. */
interface Decision {
  readonly grant?: Grant;
  readonly unclear?: Obstacle;
}

function grantOf(
  { clusterName, roleTemplateName }: ClusterRoleTemplateBinding,
  template: RoleTemplate | undefined,
  { subject }: ResolvedSubject,
  { cache }: Context,
): Decision {
  if (template === undefined || subject === undefined) return {};
  const { rules, problem } = grantedRules(template, cache);
  const grant = { cluster: clusterName, template: roleTemplateName, subject, rules };
  return problem === undefined
    ? { grant }
    : { grant, unclear: { reason: reasons.unclearRules, message: problem } };
}

/** Problems of membership, and of rights. Without a grant, what was granted is taken away. */
async function carryOut(
  binding: ClusterRoleTemplateBinding,
  template: RoleTemplate | undefined,
  grant: Grant | undefined,
  context: Context,
): Promise<readonly [readonly Problem[], readonly Problem[]]> {
  const { cache } = context;
  const key = keyOf(binding);
  const surroundings =
    template === undefined ? undefined : surroundingsOf(template, binding.clusterName, cache);
  const wanted =
    grant === undefined || surroundings === undefined ? [] : rights(grant, surroundings);
  const isOpen = isOpenIn(cache);
  const members = {
    kinds: [ClusterRoleBinding],
    objects: grant === undefined ? [] : [clusterMembership(grant)],
    legacy: legacyOf(binding, ClusterRoleBinding, cache),
  };
  const holders = {
    kinds: [RoleBinding],
    objects: wanted.filter(({ metadata: { namespace = "" } }) => isOpen(namespace)),
    legacy: legacyOf(binding, RoleBinding, cache),
  };
  return [
    await claim(members, memberOf(key), context),
    await claim(holders, holderOf(key), context),
  ];
}

function memberOf(key: string): ReturnType<typeof managementClaimant> {
  const { namespace = "", name } = parseKey(key);
  return managementClaimant(ClusterRoleTemplateBinding, key, membershipKey(namespace, name));
}

function holderOf(key: string): ReturnType<typeof managementClaimant> {
  const label = clusterBindingOwnerKey(parseKey(key).name);
  return managementClaimant(ClusterRoleTemplateBinding, key, label);
}

/** The hub that bindings are in is this very cluster. */
function runOf({ client, cache, signal }: Context): Parameters<typeof unclaim>[2] {
  return { client, cache, signal, hub: { client, cache } };
}

function conditionOf(
  type: string,
  problems: readonly Problem[],
  obstacle: Obstacle | undefined,
): ConditionUpdate {
  const [first, ...rest] = [...(obstacle ? [obstacle] : []), ...problems];
  return first === undefined ? holds(type) : { type, status: "False", ...tell([first, ...rest]) };
}

/** Writes the status where it says something new, `waits` beside what the summary comes from, and tells what fails now, and did not or otherwise before, as an Event. */
async function report(
  binding: ClusterRoleTemplateBinding,
  told: readonly ConditionUpdate[],
  waits: ConditionUpdate | undefined,
  { client, clock, events }: Context,
): Promise<void> {
  const all = waits === undefined ? told : [...told, waits];
  const status = localStatusOf(binding, { conditions: all, summary: summaryOf(told) }, clock);
  if (status === binding.status) return;
  await patchStatus(client, binding, status);
  tellFailures(events, binding.status?.localConditions, told);
}

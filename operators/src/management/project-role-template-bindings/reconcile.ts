import {
  backingNamespaceOf,
  GlobalRole,
  isClusterFinalizer,
  membershipKey,
  ProjectRoleTemplateBinding,
  parseProjectId,
  projectBindingOwnerKey,
  roleTemplateNames,
  User,
} from "@drover/crds";
import {
  claim,
  clusterMembership,
  completeBinding,
  grantedRules,
  isOpenIn,
  legacyOf,
  managementClaimant,
  type Obstacle,
  type Problem,
  type ResolvedSubject,
  resolveTemplateSubject,
  roleOf,
  throwForRetry,
  unclaim,
} from "@drover/platform";
import { type Context, done, keyOf, parseKey, type Result, removeFinalizer } from "kopf-ts";
import { ClusterRoleBinding, RoleBinding } from "kopf-ts/kinds";
import { type Grant, projectMembership, projectRights } from "./desired.ts";
import { legacyFinalizers, reasons } from "./names.ts";
import { type Referred, referredBy } from "./referred.ts";

/** Makes what a binding stands for on the management cluster be there, and tells as Events what keeps it from that. */
export async function reconcile(
  binding: ProjectRoleTemplateBinding,
  context: Context,
): Promise<Result> {
  if (binding.metadata.deletionTimestamp !== undefined) return letGo(binding, context);
  const referred = await referredBy(binding, context);
  const sources = {
    client: context.client,
    users: context.cache(User),
    globalRoles: context.cache(GlobalRole),
  };
  const resolved = await resolveTemplateSubject(binding, sources);
  await completeBinding(binding, resolved.fields, context.client);

  const { wanted, unclear } = decide(referred, resolved, context);
  const problems = await carryOut(binding, wanted, context);
  const obstacles = [referred.obstacle, resolved.obstacle, unclear].filter(
    (each) => each !== undefined,
  );
  tellAll([...obstacles, ...problems], context);
  throwForRetry([...problems, ...obstacles]);
  return done;
}

/** The binding was deleted: so is what it granted, at once, also what a process before this one could not. */
export async function forget(key: string, { client, cache, signal }: Context): Promise<Result> {
  const run = { client, cache, signal, hub: { client, cache } }; // the hub that bindings are in is this very cluster
  const problems = [
    ...(await unclaim([ClusterRoleBinding, RoleBinding], memberOf(key), run)),
    ...(await unclaim([RoleBinding], holderOf(key), run)),
  ];
  throwForRetry(problems);
  return done;
}

/** While finalizers of others hold a binding that is being deleted, it grants nothing any more. */
async function letGo(binding: ProjectRoleTemplateBinding, context: Context): Promise<Result> {
  const problems = await carryOut(binding, nothing, context);
  const cluster = parseProjectId(binding.projectName)?.cluster ?? "";
  const legacy = binding.metadata.finalizers?.find(
    (name) => legacyFinalizers.includes(name) || isClusterFinalizer(name, cluster),
  );
  if (legacy !== undefined) await removeFinalizer(context.client, binding, legacy);
  throwForRetry(problems);
  return done;
}

/** What is to be there. */
interface Wanted {
  readonly members: readonly (ClusterRoleBinding | RoleBinding)[];
  readonly holders: readonly RoleBinding[];
}

const nothing: Wanted = { members: [], holders: [] };

function decide(
  referred: Referred,
  { subject }: ResolvedSubject,
  { cache }: Context,
): { readonly wanted: Wanted; readonly unclear?: Obstacle } {
  if (referred.obstacle !== undefined || subject === undefined) return { wanted: nothing };
  const { id, project, template } = referred;
  const { rules, problem } = grantedRules(template, cache);
  const grant: Grant = { ...id, template: template.metadata.name, subject, rules };
  const isOpen = isOpenIn(cache);
  const namespace = backingNamespaceOf(project);
  const aggregator = roleOf(template, roleTemplateNames.projectManagementAggregator, cache);
  const wanted = {
    members: [clusterMembership(grant), ...(isOpen(id.cluster) ? [projectMembership(grant)] : [])],
    holders: aggregator !== undefined && isOpen(namespace) ? [projectRights(grant, namespace)] : [],
  };
  if (problem === undefined) return { wanted };
  return { wanted, unclear: { reason: reasons.unclearRules, message: problem } };
}

/** Makes what is wanted be there, takes away what was granted besides, and answers what went wrong. */
async function carryOut(
  binding: ProjectRoleTemplateBinding,
  { members, holders }: Wanted,
  context: Context,
): Promise<readonly Problem[]> {
  const key = keyOf(binding);
  const kinds = [ClusterRoleBinding, RoleBinding];
  const legacy = kinds.flatMap((kind) => legacyOf(binding, kind, context.cache));
  return [
    ...(await claim({ kinds, objects: members, legacy }, memberOf(key), context)),
    ...(await claim({ kinds: [RoleBinding], objects: holders }, holderOf(key), context)),
  ];
}

function memberOf(key: string): ReturnType<typeof managementClaimant> {
  const { namespace = "", name } = parseKey(key);
  return managementClaimant(ProjectRoleTemplateBinding, key, membershipKey(namespace, name));
}

function holderOf(key: string): ReturnType<typeof managementClaimant> {
  const label = projectBindingOwnerKey(parseKey(key).name);
  return managementClaimant(ProjectRoleTemplateBinding, key, label);
}

function tellAll(problems: readonly (Problem | Obstacle)[], { events }: Context): void {
  for (const { reason, message } of problems) {
    events.event({ type: "Warning", reason, action: "Reconcile", message });
  }
}

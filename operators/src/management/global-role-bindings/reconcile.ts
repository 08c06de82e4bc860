import {
  annotations,
  Cluster,
  ClusterRoleTemplateBinding,
  FleetWorkspace,
  GlobalRole,
  GlobalRoleBinding,
  globalRoleBindingNames,
  globalRoleSubject,
  labels,
} from "@drover/crds";
import {
  belongsTo,
  clusterConditions,
  holds,
  isAdminRole,
  labelIndex,
  type Ownership,
  type Part,
  type Problem,
  release,
  settle,
  sumOfClusters,
  tell,
  throwForRetry,
} from "@drover/platform";
import {
  type CacheAccess,
  type ConditionUpdate,
  type Context,
  done,
  hasFinalizer,
  type Kind,
  type Result,
  removeFinalizer,
  resourceName,
  TemporaryError,
} from "kopf-ts";
import { ClusterRoleBinding, Namespace, RoleBinding } from "kopf-ts/kinds";
import { grantsOtherwise, type Target, templateBindings } from "./cluster-bindings.ts";
import { completed } from "./completed.ts";
import {
  clusterRoleBinding,
  fleetBindings,
  type Grant,
  namespacedBindings,
  type Surroundings,
} from "./desired.ts";
import { conditions, legacyFinalizer, reasons } from "./names.ts";
import { clustersIn, report } from "./status.ts";
import { type Resolved, resolveSubject } from "./subject.ts";

/** Makes the bindings of a GlobalRoleBinding be what it says, and tells in its status how that went. */
export async function reconcile(binding: GlobalRoleBinding, context: Context): Promise<Result> {
  if (binding.metadata.deletionTimestamp !== undefined) return letGo(binding, context);
  const role = await roleOf(binding, context);
  const resolved = await resolveSubject(binding, context);
  const full = await complete(binding, resolved, role, context);
  const subject = globalRoleSubject(full);
  const grant = role && subject && { binding: full, role, subject };

  const parts = partsOf(full, grant, context.cache);
  const outcomes = await settle(parts, ownershipOf(full), context);
  await dropStale(full, context);
  const obstacle = role === undefined ? noRole(binding) : resolved.condition;
  const steps = parts.map(({ id }, at) =>
    conditionOf(id, outcomes[at] ?? [], grant === undefined ? obstacle : undefined),
  );
  const told = [...steps.filter(isToldOf(role)), ...inherited(full, role, context)];
  const everywhere = role !== undefined && isAdminRole(role);
  await report(full, { conditions: [resolved.condition, ...told], everywhere }, context);
  throwForRetry([...outcomes.flat(), resolved]);
  return done;
}

/** While finalizers of others hold a binding that is being deleted, it grants nothing any more. */
async function letGo(binding: GlobalRoleBinding, context: Context): Promise<Result> {
  const parts = partsOf(binding, undefined, context.cache);
  const outcomes = await settle(parts, ownershipOf(binding), context);
  const holders = binding.metadata.finalizers?.filter((name) => name !== legacyFinalizer) ?? [];
  if (holders.length > 0) {
    await report(binding, { conditions: [], summary: "Terminating", everywhere: false }, context);
  }
  if (hasFinalizer(binding, legacyFinalizer)) {
    await removeFinalizer(context.client, binding, legacyFinalizer);
  }
  throwForRetry(outcomes.flat());
  return done;
}

/** The binding was deleted: so is what it granted, at once. */
export async function forget(name: string, context: Context): Promise<Result> {
  await release({ kind: GlobalRoleBinding, name, label: labelOf(name) }, memberKinds, context);
  return done;
}

/** Undefined when there is none; the cache alone is not believed where rights would be taken away. */
async function roleOf(
  binding: GlobalRoleBinding,
  { cache, client }: Context,
): Promise<GlobalRole | undefined> {
  const { globalRoleName: name } = binding;
  const cached = cache(GlobalRole).get(name);
  if (cached !== undefined || !hasMembers(binding, cache)) return cached;
  if ((await client.find(GlobalRole, name)) === undefined) return undefined;
  throw new TemporaryError(`the cache does not show GlobalRole ${name} yet`, { delay: 1000 });
}

const memberKinds: readonly Kind[] = [ClusterRoleBinding, RoleBinding, ClusterRoleTemplateBinding];

function hasMembers(binding: GlobalRoleBinding, cache: CacheAccess): boolean {
  const { key, value } = ownershipOf(binding).label;
  return memberKinds.some((kind) => cache(kind).keysByIndex(labelIndex(key), value).length > 0);
}

async function complete(
  binding: GlobalRoleBinding,
  { fields }: Resolved,
  role: GlobalRole | undefined,
  { client }: Context,
): Promise<GlobalRoleBinding> {
  const merge = completed(binding, fields, role);
  return merge === undefined ? binding : client.patch<GlobalRoleBinding>(binding, { merge });
}

/** In the order of the conditions, whose types are their ids. Without a grant each is empty, so that what was granted is taken away. */
function partsOf(
  binding: GlobalRoleBinding,
  grant: Grant | undefined,
  cache: CacheAccess,
): readonly Part[] {
  const around = surroundingsIn(cache);
  const { key, value } = ownershipOf(binding).label;
  const owned = cache(ClusterRoleTemplateBinding).byIndex(labelIndex(key), value);
  return [
    {
      id: conditions.clusters,
      kinds: [ClusterRoleTemplateBinding],
      objects: grant ? templateBindings(grant, targetsOf(grant.role, around, cache), owned) : [],
      mustReplace: grantsOtherwise as NonNullable<Part["mustReplace"]>, // only ever asked about its kind
    },
    {
      id: conditions.global,
      kinds: [ClusterRoleBinding],
      objects: grant ? [clusterRoleBinding(grant)] : [],
    },
    {
      id: conditions.namespaced,
      kinds: [RoleBinding],
      objects: grant ? namespacedBindings(grant, around) : [],
    },
    {
      id: conditions.fleet,
      kinds: [RoleBinding, ClusterRoleBinding],
      objects: grant ? fleetBindings(grant, around) : [],
    },
  ];
}

function surroundingsIn(cache: CacheAccess): Surroundings {
  const isOpen = (name: string): boolean => {
    const namespace = cache(Namespace).get(name);
    return namespace !== undefined && namespace.metadata.deletionTimestamp === undefined;
  };
  return { isOpen, workspaces: [...cache(FleetWorkspace).keys()] };
}

/** Clusters are only looked at for roles that say anything about them. */
function targetsOf(
  { inheritedClusterRoles = [] }: GlobalRole,
  { isOpen }: Surroundings,
  cache: CacheAccess,
): readonly Target[] {
  if (inheritedClusterRoles.length === 0) return [];
  return cache(Cluster)
    .list()
    .map(({ metadata: { name, deletionTimestamp } }) => ({
      name,
      isOpen: deletionTimestamp === undefined && isOpen(name),
    }));
}

function ownershipOf(owner: GlobalRoleBinding): Ownership {
  return { owner, label: labelOf(owner.metadata.name) };
}

function labelOf(name: string): Ownership["label"] {
  const value = globalRoleBindingNames.ownerLabel(name);
  return { key: labels.globalRoleBindingOwner, value };
}

/** The ClusterRoleBinding under an older name. The annotation is anybody's to write, so it only counts for a binding that is this one's. */
async function dropStale(binding: GlobalRoleBinding, { cache, client }: Context): Promise<void> {
  const recorded = binding.metadata.annotations?.[annotations.clusterRoleBindingName];
  const { name } = binding.metadata;
  if (recorded === undefined || recorded === globalRoleBindingNames.clusterRoleBinding(name))
    return;
  const stale = cache(ClusterRoleBinding).get(recorded);
  if (stale !== undefined && belongsTo(stale, ownershipOf(binding))) await client.delete(stale);
}

function noRole({ globalRoleName }: GlobalRoleBinding): ConditionUpdate {
  const message = `${resourceName(GlobalRole)} "${globalRoleName}" not found`;
  return { type: conditions.global, status: "False", reason: reasons.noRole, message };
}

function conditionOf(
  type: string,
  problems: readonly Problem[],
  obstacle: ConditionUpdate | undefined,
): ConditionUpdate {
  if (obstacle !== undefined) return { ...obstacle, type };
  const [first, ...rest] = problems;
  return first === undefined ? holds(type) : { type, status: "False", ...tell([first, ...rest]) };
}

/** Nothing is told of fleet workspaces where nothing is granted in them, unless what was there could not be taken away. */
function isToldOf(role: GlobalRole | undefined): (condition: ConditionUpdate) => boolean {
  return ({ type, reason }) =>
    type !== conditions.fleet ||
    role?.inheritedFleetWorkspacePermissions !== undefined ||
    reason === "ApplyFailed" ||
    reason === "DeleteFailed";
}

/** Bindings in other clusters are made there, by controllers that tell what fails. */
function inherited(
  { status }: GlobalRoleBinding,
  role: GlobalRole | undefined,
  { cache }: Context,
): readonly ConditionUpdate[] {
  if (Object.keys(role?.inheritedNamespacedRules ?? {}).length === 0) return [];
  const told = clusterConditions(status?.remoteConditions, clustersIn(cache));
  return [sumOfClusters(conditions.inherited, told)];
}

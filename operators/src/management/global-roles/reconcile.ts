import {
  annotations,
  FleetWorkspace,
  GlobalRole,
  globalRoleNames,
  labels,
  localWorkspaceName,
  ruleFaults,
} from "@drover/crds";
import {
  belongsTo,
  clusterConditions,
  holds,
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
  keyOf,
  type Result,
  removeFinalizer,
} from "kopf-ts";
import { ClusterRole, Namespace, Role } from "kopf-ts/kinds";
import {
  clusterRole,
  fleetRoles,
  hasFleetPermissions,
  namespacedRoles,
  type Surroundings,
  type Wanted,
} from "./desired.ts";
import { conditions, legacyFinalizer, reasons } from "./names.ts";
import { clustersIn, report } from "./status.ts";

/** A part of the roles, the condition that tells of it, and what is wrong with what is asked for. */
interface Step {
  readonly condition: string;
  readonly part: Part;
  readonly faults: readonly string[];
}

/** Makes the roles of a GlobalRole be what it says, and tells in its status how that went. */
export async function reconcile(role: GlobalRole, context: Context): Promise<Result> {
  if (role.metadata.deletionTimestamp !== undefined) return letGo(role, context);
  const steps = stepsOf(role, context.cache);
  const outcomes = await settle(steps.map(partOf), ownershipOf(role), context);
  await dropStale(role, context);
  const named = await recordName(role, context);
  const told = steps.map((step, at) => conditionOf(step, outcomes[at] ?? []));
  await report(named, [...told.filter(isToldOf(role)), ...inherited(named, context)], context);
  throwForRetry(outcomes.flat());
  return done;
}

/** While finalizers of others hold a role that is being deleted, it grants nothing any more. */
async function letGo(role: GlobalRole, context: Context): Promise<Result> {
  const parts = stepsOf(role, context.cache).map(({ part }) => ({ ...part, objects: [] }));
  const outcomes = await settle(parts, ownershipOf(role), context);
  const holders = role.metadata.finalizers?.filter((name) => name !== legacyFinalizer) ?? [];
  if (holders.length > 0) await report(role, [], context, "Terminating");
  if (hasFinalizer(role, legacyFinalizer)) {
    await removeFinalizer(context.client, role, legacyFinalizer);
  }
  throwForRetry(outcomes.flat());
  return done;
}

/** The role was deleted: so is what it granted, at once. */
export async function forget(name: string, context: Context): Promise<Result> {
  await release({ kind: GlobalRole, name, label: labelOf(name) }, [ClusterRole, Role], context);
  return done;
}

function stepsOf(role: GlobalRole, cache: CacheAccess): readonly Step[] {
  const around = surroundingsIn(cache);
  const step = (condition: string, kind: RoleKind, wanted: readonly Wanted[]): Step => {
    const objects = wanted.flatMap((each) => standing(each, cache));
    const faults = wanted.flatMap((each) => each.faults);
    return { condition, part: { id: `drover-${condition}`, kinds: [kind], objects }, faults };
  };
  return [
    step(conditions.clusterRole, ClusterRole, [clusterRole(role)]),
    step(conditions.namespacedRoles, Role, namespacedRoles(role, around)),
    step(conditions.fleetWorkspaceRoles, ClusterRole, fleetRoles(role, around)),
  ];
}

type RoleKind = typeof ClusterRole | typeof Role;

function partOf({ part }: Step): Part {
  return part;
}

/** A role whose rules are faulty stays as it is, for a part of them is what nobody asked for. */
function standing({ role, faults }: Wanted, cache: CacheAccess): readonly Wanted["role"][] {
  if (faults.length === 0) return [role];
  const live =
    role.kind === Role.kind ? cache(Role).get(keyOf(role)) : cache(ClusterRole).get(keyOf(role));
  return live === undefined ? [] : [{ ...role, rules: live.rules ?? null }];
}

function surroundingsIn(cache: CacheAccess): Surroundings {
  const workspaces = [...cache(FleetWorkspace).keys()].filter(
    (name) => name !== localWorkspaceName,
  );
  return {
    isOpen: (name) => {
      const namespace = cache(Namespace).get(name);
      return namespace !== undefined && namespace.metadata.deletionTimestamp === undefined;
    },
    workspaces,
  };
}

function ownershipOf(owner: GlobalRole): Ownership {
  return { owner, label: labelOf(owner.metadata.name) };
}

function labelOf(name: string): Ownership["label"] {
  return { key: labels.globalRoleOwner, value: globalRoleNames.ownerLabel(name) };
}

/** The ClusterRole under an older name. The annotation is anybody's to write, so it only counts for a role that is this one's. */
async function dropStale(role: GlobalRole, { cache, client }: Context): Promise<void> {
  const recorded = role.metadata.annotations?.[annotations.clusterRoleName];
  if (recorded === undefined || recorded === globalRoleNames.clusterRole(role.metadata.name))
    return;
  const stale = cache(ClusterRole).get(recorded);
  if (stale !== undefined && belongsTo(stale, ownershipOf(role))) await client.delete(stale);
}

/** The uid keeps a role of the same name that was made meanwhile from getting the annotation. */
async function recordName(role: GlobalRole, { client }: Context): Promise<GlobalRole> {
  const { name, uid, annotations: recorded } = role.metadata;
  const wanted = { [annotations.clusterRoleName]: globalRoleNames.clusterRole(name) };
  const isRecorded =
    recorded?.[annotations.clusterRoleName] === wanted[annotations.clusterRoleName];
  if (isRecorded) return role;
  return client.patch<GlobalRole>(role, { merge: { metadata: { uid, annotations: wanted } } });
}

function conditionOf({ condition, faults }: Step, problems: readonly Problem[]): ConditionUpdate {
  const invalid = faults.map((message) => ({ reason: reasons.invalidRules, message }));
  const [first, ...rest] = [...invalid, ...problems];
  if (first === undefined) return holds(condition);
  return { type: condition, status: "False", ...tell([first, ...rest]) };
}

/** Nothing is told of fleet workspaces where nothing is asked for them, unless what was there could not be taken away. */
function isToldOf(role: GlobalRole): (condition: ConditionUpdate) => boolean {
  return ({ type, status }) =>
    type !== conditions.fleetWorkspaceRoles || status !== "True" || hasFleetPermissions(role);
}

/** Rules for other clusters are carried out there, by controllers that tell what fails. Rules that no cluster would store are told once, from here. */
function inherited(
  { inheritedNamespacedRules = {}, status }: GlobalRole,
  { cache }: Context,
): readonly ConditionUpdate[] {
  const rules = Object.entries(inheritedNamespacedRules);
  if (rules.length === 0) return [];
  const type = conditions.inheritedNamespacedRoles;
  const [first, ...rest] = rules
    .flatMap(([name, each]) =>
      ruleFaults(each, `inheritedNamespacedRules.${name}`, { namespaced: true }),
    )
    .map((message) => ({ reason: reasons.invalidRules, message }));
  if (first !== undefined) return [{ type, status: "False", ...tell([first, ...rest]) }];
  return [sumOfClusters(type, clusterConditions(status?.conditions, clustersIn(cache)))];
}

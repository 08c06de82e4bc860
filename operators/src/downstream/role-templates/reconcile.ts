import { RoleTemplate, roleTemplateLabels, roleTemplateNames } from "@drover/crds";
import {
  dropClusterFinalizers,
  type OwnerLabel,
  type Part,
  type Problem,
  settle,
  tell,
  throwForRetry,
  withdraw,
} from "@drover/platform";
import { type Context, done, type Result } from "kopf-ts";
import { ClusterRole } from "kopf-ts/kinds";
import { clusterRoles, type Desired } from "./desired.ts";
import { labelExternal } from "./external.ts";
import { isLegacyRoleOf } from "./legacy.ts";
import { reasons } from "./names.ts";

const part = { id: "drover-role-template", kinds: [ClusterRole] } as const;

/** Makes the ClusterRoles of a RoleTemplate in the cluster be what it says. What is in the way is told as Events of the template. */
export async function reconcile(template: RoleTemplate, context: Context): Promise<Result> {
  const { name } = template.metadata;
  const isLeaving = template.metadata.deletionTimestamp !== undefined;
  const desired = isLeaving ? nothing : desiredOf(template, context);
  const objects = desired.roles.flatMap((role) => standing(role, desired, context));
  const ownership = { owner: template, label: labelOf(name), adopts: isLegacyRoleOf(name) };
  const [problems = []] = await settle([{ ...part, objects } satisfies Part], ownership, context);
  await labelExternal(name, isLeaving ? undefined : template, context);
  tellOf(desired, problems, context);
  throwForRetry(problems);
  await dropClusterFinalizers(template, context);
  return done;
}

/** The template was deleted: so are its roles. */
export async function forget(name: string, context: Context): Promise<Result> {
  const withdrawn = { kind: RoleTemplate, key: name, label: labelOf(name), parts: [part] };
  throwForRetry(await withdraw(withdrawn, context));
  await labelExternal(name, undefined, context);
  return done;
}

const nothing: Desired = { roles: [], faults: [], missing: [], circular: [] };

function desiredOf(template: RoleTemplate, { hub }: Context): Desired {
  return clusterRoles(template, (name) => hub.cache(RoleTemplate).get(name));
}

/** A role whose rules are faulty stays as it is, for a part of them is what nobody asked for. */
function standing(
  role: ClusterRole,
  { faults }: Desired,
  { cache }: Context,
): readonly ClusterRole[] {
  if (faults.length === 0 || role.aggregationRule !== undefined) return [role];
  const live = cache(ClusterRole).get(role.metadata.name);
  return live === undefined ? [] : [{ ...role, rules: live.rules ?? null }];
}

function tellOf(
  { faults, missing, circular }: Desired,
  problems: readonly Problem[],
  { events, log, cluster }: Context,
): void {
  const warn = (reason: string, message: string, isTriedAgain = false): void => {
    events.warning(reason, message);
    if (isTriedAgain) return; // what is thrown is logged, too
    log.warn("a role template is not carried out as it is", { reason, why: message });
  };
  const [problem, ...others] = problems;
  if (problem !== undefined) {
    const { reason, message } = tell([problem, ...others]);
    const isTriedAgain = problems.every(({ error }) => error !== undefined);
    warn(reason, `cluster ${cluster}: ${message}`, isTriedAgain);
  }
  if (faults.length > 0) warn(reasons.invalidRules, faults.join("; "));
  if (missing.length > 0)
    warn(reasons.missing, `inherits ${missing.join(", ")}, which is not there`);
  if (circular.length > 0) {
    warn(reasons.circular, `inherits ${circular.join(", ")}, which inherits it: left out`);
  }
}

function labelOf(name: string): OwnerLabel {
  return { key: roleTemplateLabels.clusterRoleOwner, value: roleTemplateNames.ownerLabel(name) };
}

import type { Project } from "@drover/crds";
import { type NamespaceMetadata, type Problem, tell, throwForRetry } from "@drover/platform";
import { type Context, done, type NormanConditionUpdate, type Result } from "kopf-ts";
import { bindCreator, type Creation } from "./creator.ts";
import { membershipRoles } from "./desired.ts";
import { holdForCluster } from "./hold.ts";
import { conditions } from "./names.ts";
import { keepNamespace } from "./namespace.ts";
import type { Obstacle } from "./obstacle.ts";
import { settleRoles } from "./roles.ts";
import { report } from "./status.ts";
import { tellWaiting } from "./waiting.ts";

/** Sees to the project's namespace, its members' roles and its creator's bindings, and tells in its conditions how that went. One that is being deleted tells what it waits for. */
export async function reconcile(
  project: Project,
  context: Context,
  wanted: NamespaceMetadata,
): Promise<Result> {
  if (project.metadata.deletionTimestamp !== undefined) return tellWaiting(project, context);
  const problems = await settleRoles(project, membershipRoles(project), context);
  const obstacle = await keepNamespace(project, context, wanted);
  const creation = obstacle === undefined ? await bindCreator(project, context) : undefined;

  const told = toldOf(obstacle, creation, problems);
  await report(project, { conditions: told, creatorRoles: creation?.recorded }, context);
  await holdForCluster(project, context);
  const others = [obstacle, creation?.obstacle].filter((each) => each !== undefined);
  throwForRetry([...problems, ...others]);
  return done;
}

/** Nothing is told of roles before there is a namespace to give them in, unless they failed. */
function toldOf(
  obstacle: Obstacle | undefined,
  creation: Creation | undefined,
  problems: readonly Problem[],
): readonly NormanConditionUpdate[] {
  const namespace = conditionOf(conditions.namespace, obstacle);
  if (creation === undefined) return [namespace];
  const [first, ...rest] = problems;
  if (first !== undefined) {
    return [namespace, creation.condition, conditionOf(conditions.roles, tell([first, ...rest]))];
  }
  const { status, reason, message } = creation.condition;
  const why = status === "True" ? {} : { ...(reason && { reason }), ...(message && { message }) };
  return [namespace, creation.condition, { type: conditions.roles, status, ...why }];
}

function conditionOf(
  type: string,
  why: { readonly reason: string; readonly message: string } | undefined,
): NormanConditionUpdate {
  if (why === undefined) return { type, status: "True" };
  return { type, status: "False", reason: why.reason, message: why.message };
}

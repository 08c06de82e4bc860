import { idOfProject, type NormanCondition, type Project, Setting } from "@drover/crds";
import { type Environment, liveSettings, namesIn, throwForRetry } from "@drover/platform";
import {
  type Context,
  done,
  isConflict,
  messageOf,
  type NormanConditionUpdate,
  type Result,
  requeueAfter,
  setNormanCondition,
} from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import { isFree, namespaceRoles, type Offer, offerOf, takeIn } from "./desired.ts";
import { indexes, offeredAnnotation, reasons } from "./names.ts";
import { settleRoles, takeOver } from "./roles.ts";

/** Sees to the ClusterRoles about the project's namespaces, and fills the projects that take in those that are there already. */
export async function reconcile(
  project: Project,
  context: Context,
  env: Environment,
): Promise<Result> {
  if (await takeOver(project, context)) return requeueAfter(0);
  const namespaces = context.cache(Namespace).keysByIndex(indexes.project, idOfProject(project));
  const roles = namespaceRoles(project, namespaces);
  const problems = await settleRoles(project, roles, context);
  for (const { reason, message } of problems) context.events.warning(reason, message);

  const offer = offerOf(project, systemNamespaces(context, env));
  const failure = offer === undefined ? undefined : await fill(project, offer, context);
  throwForRetry([...problems, { error: failure }]);
  return done;
}

/** Names in the setting, as it is now. */
function systemNamespaces({ hub }: Context, env: Environment): readonly string[] {
  return namesIn(liveSettings(hub.cache(Setting), env).text("system-namespaces"));
}

/** Takes in what is offered and free, and tells that. Answers why it failed. */
async function fill(project: Project, offer: Offer, context: Context): Promise<Error | undefined> {
  const { client, cache, events } = context;
  try {
    for (const name of offer.names) {
      const namespace = cache(Namespace).get(name);
      if (namespace === undefined || !isFree(namespace)) continue;
      await client.patch(namespace, { merge: takeIn(namespace, project) });
    }
    await report(project, { type: offer.condition, status: "True" }, context, offer.offered);
    return undefined;
  } catch (error) {
    if (isConflict(error) || !(error instanceof Error)) throw error;
    const message = messageOf(error);
    events.warning(reasons.assignFailed, message);
    const said = { type: offer.condition, status: "False", reason: reasons.assignFailed, message };
    await report(project, said as NormanConditionUpdate, context);
    return error;
  }
}

/** The status is part of the Project, and others write it too: the resourceVersion keeps what they said. */
async function report(
  project: Project,
  update: NormanConditionUpdate,
  { hub, clock }: Context,
  offered?: string,
): Promise<void> {
  const before: readonly NormanCondition[] | undefined = project.status?.conditions;
  const conditions = setNormanCondition(before, update, clock);
  const said = project.metadata.annotations?.[offeredAnnotation];
  const isSaid = offered === undefined || offered === said;
  if (conditions === before && isSaid) return;
  const { resourceVersion } = project.metadata;
  const changed = isSaid ? {} : { annotations: { [offeredAnnotation]: offered } };
  const merge = { metadata: { resourceVersion, ...changed }, status: { conditions } };
  await hub.client.patch(project, { merge });
}

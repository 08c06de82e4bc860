/** What a Project says of itself. Its status is part of the object, and others write it too: each changes its own conditions only. */

import { annotations, type NormanCondition, type Project } from "@drover/crds";
import {
  type Context,
  findCondition,
  type NormanConditionUpdate,
  setNormanCondition,
} from "kopf-ts";

/** What there is to tell. */
export interface Told {
  readonly conditions: readonly NormanConditionUpdate[];
  /** The annotation creator-role-bindings; undefined: as it is. */
  readonly creatorRoles?: string | undefined;
}

/** Writes what the Project does not say yet, all at once, and tells what is wrong now and was not before as an Event. */
export async function report(
  project: Project,
  { conditions: told, creatorRoles }: Told,
  { client, clock, events }: Context,
): Promise<void> {
  const before = project.status?.conditions;
  const conditions = told.reduce<readonly NormanCondition[] | undefined>(
    (all, update) => setNormanCondition(all, update, clock),
    before,
  );
  const recorded = project.metadata.annotations?.[annotations.creatorRoleBindings];
  const said = creatorRoles === undefined || creatorRoles === recorded ? undefined : creatorRoles;
  if (conditions === before && said === undefined) return;

  const { resourceVersion } = project.metadata;
  const changed =
    said === undefined ? {} : { annotations: { [annotations.creatorRoleBindings]: said } };
  const merge = { metadata: { resourceVersion, ...changed }, status: { conditions } };
  await client.patch(project, { merge });
  const fresh = told.filter(
    ({ type, message }) => message !== findCondition(before, type)?.message,
  );
  const messages = new Map(fresh.map((update) => [update.message ?? "", update]));
  for (const [message, { status, reason = "" }] of messages) {
    if (message === "") continue;
    const severity = status === "False" ? "Warning" : "Normal";
    events.event({ type: severity, reason, action: "Reconcile", message });
  }
}

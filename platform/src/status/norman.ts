/** Conditions in Norman's shape, of objects whose status several controllers share, as that of a Cluster. */

import type { NormanCondition } from "@drover/crds";
import {
  type Context,
  findCondition,
  type KubeObject,
  type NormanConditionUpdate,
  patchStatus,
  setNormanCondition,
} from "kopf-ts";

/** An object whose status has conditions. */
type WithConditions = KubeObject & {
  readonly status?: { readonly conditions?: readonly NormanCondition[] };
};

/**
 * Sets these conditions, and other fields of the status, beside all that others said, and answers the object as it then is. Sends nothing where the status says
 * so already; a status that changed meanwhile is an ApiError 409. A condition that is False now, and was not or for another reason, is told as an Event, too.
 */
export async function tellConditions<T extends WithConditions>(
  object: T,
  told: readonly NormanConditionUpdate[],
  { client, clock, events }: Pick<Context, "client" | "clock" | "events">,
  fields: Partial<NonNullable<T["status"]>> = {},
): Promise<T> {
  const before = object.status?.conditions;
  const conditions = told.reduce<typeof before>(
    (list, update) => setNormanCondition(list, update, clock),
    before,
  );
  const status = { ...object.status, ...fields, ...(conditions && { conditions }) };
  const after = await patchStatus(client, object, status);
  for (const { type, status, reason = type, message = "" } of told) {
    if (status !== "False" || isSaid(findCondition(before, type), message)) continue;
    events.event({ type: "Warning", reason, action: "Reconcile", message });
  }
  return after;
}

/** Whether the condition of this type is True. */
export function isTrue({ status }: WithConditions, type: string): boolean {
  return findCondition(status?.conditions, type)?.status === "True";
}

function isSaid(known: NormanCondition | undefined, message: string): boolean {
  return known?.status === "False" && (known.message ?? "") === message;
}

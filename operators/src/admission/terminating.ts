/** Objects on their way out: updates only remove finalizers then, and must never be held up. */

import type { KubeObject } from "kopf-ts";
import type { MatchCondition } from "kopf-ts/admission";
import { anyOf, sets } from "./cel.ts";

/** Whether the object is being deleted. */
export function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Asked for all but updates of objects that are being deleted: their finalizers can go even while no webhook answers. */
export const notTerminating: MatchCondition = {
  name: "not-terminating",
  expression: 'request.operation != "UPDATE" || !has(object.metadata.deletionTimestamp)',
};

/**
 * As `notTerminating`, but asked for changes of these fields too. A role that somebody binds goes on allowing what it says while a finalizer holds it, so nobody may
 * widen it in the meantime (upstream lets every update of such a role pass).
 */
export function notTerminatingUnless(...fields: readonly string[]): readonly MatchCondition[] {
  const changes = fields.map((field) => sets(`.?${field}`, "null"));
  return anyOf("not-terminating-or-wider", `(${notTerminating.expression})`, ...changes);
}

/** Objects on their way out: updates only remove finalizers then, and must never be held up. */

import type { KubeObject } from "kopf-ts";
import type { MatchCondition } from "kopf-ts/admission";

/** Whether the object is being deleted. */
export function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Asked for all but updates of objects that are being deleted: their finalizers can go even while no webhook answers. */
export const notTerminating: MatchCondition = {
  name: "not-terminating",
  expression: 'request.operation != "UPDATE" || !has(object.metadata.deletionTimestamp)',
};

/** Conditions in Norman's shape, of objects whose status several controllers share, as that of a Cluster. */

import { kinds, type NormanCondition } from "@drover/crds";
import {
  apiVersionOf,
  type Context,
  findCondition,
  isConflict,
  type Kind,
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
 * so already. A condition that is False now, and was not or for another reason, is told as an Event, too.
 *
 * Many write such a status. Where one was faster, it is read and written again: what is told must be the caller's alone, and is looked at by its next run
 * anyway. After some attempts, and where the object is another one by now, this is an ApiError 409. Objects of our own kinds only.
 */
export async function tellConditions<T extends WithConditions>(
  object: T,
  told: readonly NormanConditionUpdate[],
  { client, clock, events }: Pick<Context, "client" | "clock" | "events">,
  fields: Partial<NonNullable<T["status"]>> = {},
): Promise<T> {
  const after = await persistently(object, client, (known) => {
    const conditions = told.reduce<readonly NormanCondition[] | undefined>(
      (list, update) => setNormanCondition(list, update, clock),
      known.status?.conditions,
    );
    return { ...known.status, ...fields, ...(conditions && { conditions }) };
  });
  const before = object.status?.conditions;
  for (const { type, status, reason = type, message = "" } of told) {
    if (status !== "False" || isSaid(findCondition(before, type), message)) continue;
    events.event({ type: "Warning", reason, action: "Reconcile", message });
  }
  return after;
}

/** At once, for each attempt of several writers is some other's success. */
const attempts = 5;

async function persistently<T extends WithConditions>(
  object: T,
  client: Context["client"],
  statusOf: (known: T) => NonNullable<T["status"]>,
): Promise<T> {
  let known = object;
  for (let attempt = 1; ; attempt++) {
    try {
      return await patchStatus(client, known, statusOf(known));
    } catch (error) {
      if (!isConflict(error) || attempt === attempts) throw error;
      const live = await findLive(object, client);
      if (live?.metadata.uid !== object.metadata.uid || live === undefined) throw error;
      known = live;
    }
  }
}

async function findLive<T extends KubeObject>(
  { apiVersion, kind, metadata: { name, namespace } }: T,
  client: Context["client"],
): Promise<T | undefined> {
  const own = kinds.find((each) => each.kind === kind && apiVersionOf(each) === apiVersion);
  if (own === undefined) throw new TypeError(`${kind} is none of our own kinds`);
  return client.find(own as Kind<T>, name, { namespace }); // found by the object's own kind
}

/** Whether the condition of this type is True. */
export function isTrue({ status }: WithConditions, type: string): boolean {
  return findCondition(status?.conditions, type)?.status === "True";
}

function isSaid(known: NormanCondition | undefined, message: string): boolean {
  return known?.status === "False" && (known.message ?? "") === message;
}

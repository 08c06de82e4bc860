/** Holds on to objects by the finalizer of a controller, and lets go of them, also while others add and remove theirs. */

import { exponential } from "../base/index.ts";
import { isConflict, type Kind, type KubeObject } from "../kube/index.ts";
import type { Context } from "./context.ts";
import { addFinalizer, hasFinalizer, Outdated, removeFinalizer } from "./finalizer.ts";

/** Whose finalizer it is, and what of a run is needed to write it. */
export interface Holder<T extends KubeObject> {
  readonly kind: Kind<T>;
  readonly finalizer: string;
  readonly context: Pick<Context, "client" | "clock" | "signal">;
}

/**
 * The object with the finalizer, which is added where it is missing; undefined when the object is gone, is another one by now, or is being
 * deleted, which forbids to add any. Throws Outdated when others are faster time and again.
 */
export function hold<T extends KubeObject>(object: T, holder: Holder<T>): Promise<T | undefined> {
  const { finalizer, context } = holder;
  return persistently(object, holder, async (known) => {
    if (known.metadata.deletionTimestamp !== undefined) return undefined;
    return hasFinalizer(known, finalizer) ? known : addFinalizer(context.client, known, finalizer);
  });
}

/** Removes the finalizer unless it, or the object, is gone already. Throws Outdated when others are faster time and again. */
export async function release<T extends KubeObject>(object: T, holder: Holder<T>): Promise<void> {
  const { finalizer, context } = holder;
  await persistently(object, holder, async (known) => {
    if (hasFinalizer(known, finalizer)) await removeFinalizer(context.client, known, finalizer);
  });
}

/** Of a dozen controllers that begin at once each one needs some attempts: every change of the list spoils those that are on their way. */
const ATTEMPTS = 20;
/** Milliseconds, of which each attempt waits a random part. */
const SPREAD = { min: 5, max: 100 };

/** Tries `change` with the object as it is known, then as the server has it, for as long as it remains the same object. */
async function persistently<T extends KubeObject, R>(
  object: T,
  { kind, context: { client, clock, signal } }: Holder<T>,
  change: (known: T) => Promise<R>,
): Promise<R | undefined> {
  const { name, namespace, uid } = object.metadata;
  let known: T | undefined = object;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await change(known);
    } catch (error) {
      if (!isOvertaken(error) || attempt === ATTEMPTS) throw error;
    }
    if (attempt > 0) await clock.sleep(Math.random() * exponential(attempt, SPREAD), signal);
    known = await client.find(kind, name, { namespace });
    if (known === undefined || known.metadata.uid !== uid) return undefined;
  }
}

/** Somebody wrote the object first: a test of the patch failed, or the server gave up on repeating the patch. */
function isOvertaken(error: unknown): boolean {
  return error instanceof Outdated || isConflict(error);
}

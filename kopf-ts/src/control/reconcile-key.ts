/** Decides which function of a controller a key needs, and calls it. */

import type { KubeObject } from "../kube/index.ts";
import type { Context } from "./context.ts";
import { type Controller, finalizerOf } from "./controller.ts";
import { hasFinalizer } from "./finalizer.ts";
import { type Holder, hold, release } from "./own-finalizer.ts";
import { asksForMore, done, type Result } from "./result.ts";
import type { Run } from "./run.ts";
import type { View } from "./view.ts";

/** Where a run finds its object, and what it is for. */
export interface Surroundings<T extends KubeObject> {
  readonly controller: Controller<T>;
  /** The objects of `watches` that exist for the controller. */
  readonly view: View<T>;
  /** Keys of deleted objects that `gone` has yet to answer for. */
  readonly deleted: Set<string>;
  /** Uids of objects that `finalize` is done with, by key; what is left to do is to remove the finalizer. */
  readonly finalized: Map<string, string | undefined>;
}

/** One run of a key: gone, finalize or reconcile, or nothing. */
export async function reconcileKey<T extends KubeObject>(
  surroundings: Surroundings<T>,
  run: Run,
): Promise<Result | undefined> {
  const { controller, view } = surroundings;
  const waits = await tellGone(surroundings, run);
  if (waits !== undefined) return waits;
  const object = view.get(run.key);
  if (object === undefined) return done; // gone, or not readable, which the cache has logged
  run.subject = object;
  if (object.metadata.deletionTimestamp !== undefined) return end(surroundings, object, run);

  const marked = await mark(controller, object, run);
  return marked === undefined ? done : controller.reconcile(marked, run.context);
}

/** Calls `gone` where it is due; the answer when that asks to be called again. */
async function tellGone<T extends KubeObject>(
  { controller, view, deleted }: Surroundings<T>,
  { key, context }: Run,
): Promise<Result | undefined> {
  if (controller.gone === undefined) return undefined;
  // Taken out first: a deletion that comes meanwhile has a run of its own.
  if (!deleted.delete(key) && view.has(key)) return undefined;
  try {
    const result = await controller.gone(key, context);
    if (!asksForMore(result)) return undefined;
    deleted.add(key);
    return result;
  } catch (thrown) {
    deleted.add(key);
    throw thrown;
  }
}

/** The object with our finalizer, where the controller needs one; undefined when it went meanwhile. */
async function mark<T extends KubeObject>(
  controller: Controller<T>,
  object: T,
  { context }: Run,
): Promise<T | undefined> {
  if (controller.finalize === undefined) return object;
  if (hasFinalizer(object, finalizerOf(controller, context.cluster))) return object;
  return hold(object, holderOf(controller, context));
}

/** The object is where it is watched. */
function holderOf<T extends KubeObject>(controller: Controller<T>, context: Context): Holder<T> {
  const { client } = controller.hub === undefined ? context : context.hub;
  const { clock, signal, cluster } = context;
  return {
    kind: controller.watches,
    finalizer: finalizerOf(controller, cluster),
    context: { client, clock, signal },
  };
}

/** For an object that is being deleted. */
async function end<T extends KubeObject>(
  { controller, view: { cache }, finalized }: Surroundings<T>,
  object: T,
  run: Run,
): Promise<Result | undefined> {
  const { uid } = object.metadata;
  const finalizer = finalizerOf(controller, run.context.cluster);
  if (controller.finalize === undefined || !hasFinalizer(object, finalizer)) {
    return controller.terminating ? controller.reconcile(object, run.context) : done;
  }
  if (!finalized.has(run.key) || finalized.get(run.key) !== uid) {
    const result = await controller.finalize(object, run.context);
    if (asksForMore(result)) return result;
    if (cache.uidOf(run.key) === uid) finalized.set(run.key, uid); // until `deleted`
  }
  await release(object, holderOf(controller, run.context));
  // Removing the last finalizer deletes the object, and no answer tells a resourceVersion to wait for.
  run.expect(cache, () => !isStill(cache.get(run.key), object, finalizer));
  return done;
}

/** Whether the cache still shows the object with the finalizer. */
function isStill(cached: KubeObject | undefined, object: KubeObject, finalizer: string): boolean {
  return (
    cached?.metadata.uid === object.metadata.uid &&
    cached !== undefined &&
    hasFinalizer(cached, finalizer)
  );
}

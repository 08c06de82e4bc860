import type { KubeObject } from "../kube/index.ts";
import type { Controller } from "./controller.ts";
import { oneRun, type ReconcileOnceDeps } from "./one-run.ts";
import type { Result } from "./result.ts";

/**
 * Runs a controller once for one object (or key), as its runner would, with caches filled from the API server for this call: for tests and
 * scripts. Resolves with the answer and rejects with whatever the controller throws; nothing is retried.
 */
export async function reconcileOnce<T extends KubeObject>(
  controller: Controller<T>,
  target: T | string,
  deps: ReconcileOnceDeps,
): Promise<Result> {
  await using one = await oneRun(controller, target, deps);
  return await one.run(deps);
}

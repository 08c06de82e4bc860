import { silentLogger } from "../base/index.ts";
import { Informers } from "../cache/index.ts";
import { type KubeObject, keyOf } from "../kube/index.ts";
import type { Controller } from "./controller.ts";
import { checkNames } from "./names.ts";
import { reconcileKey } from "./reconcile-key.ts";
import { done, type Result } from "./result.ts";
import { Run } from "./run.ts";
import { environmentOf, type RunnerDeps } from "./runner.ts";
import { Sources } from "./sources.ts";

/** Milliseconds for the caches to fill. */
const PATIENCE = 30_000;

/** What one run works with. */
export type ReconcileOnceDeps = Omit<RunnerDeps, "informers" | "metrics"> & {
  /** Ends the wait for the caches; after 30 s unless told. */
  readonly signal?: AbortSignal;
};

/**
 * Runs a controller once for one object (or key), as its runner would, with caches filled from the API server for this call: for tests and
 * scripts. Resolves with the answer and rejects with whatever the controller throws; nothing is retried.
 */
export async function reconcileOnce<T extends KubeObject>(
  controller: Controller<T>,
  target: T | string,
  deps: ReconcileOnceDeps,
): Promise<Result> {
  const { client, logger = silentLogger, signal = AbortSignal.timeout(PATIENCE) } = deps;
  checkNames(controller, deps.fieldManagerPrefix ?? "");
  await using informers = new Informers(client, { logger });
  const sources = new Sources(controller, informers);
  await sources.synced(signal);
  const run = new Run(
    environmentOf(controller, sources, deps),
    typeof target === "string" ? target : keyOf(target),
  );
  const { cache } = sources.primary;
  return (
    (await reconcileKey({ controller, cache, deleted: new Set(), finalized: new Map() }, run)) ??
    done
  );
}

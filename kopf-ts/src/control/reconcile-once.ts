import { silentLogger } from "../base/index.ts";
import { Informers } from "../cache/index.ts";
import { type KubeObject, keyOf } from "../kube/index.ts";
import type { Controller } from "./controller.ts";
import { checkNames, checkPlace } from "./names.ts";
import { reconcileKey } from "./reconcile-key.ts";
import { done, type Result } from "./result.ts";
import { Run } from "./run.ts";
import { environmentOf, type HubDeps, type RunnerDeps } from "./runner.ts";
import { Sources } from "./sources.ts";

/** Milliseconds for the caches to fill. */
const PATIENCE = 30_000;

/** What one run works with. */
export type ReconcileOnceDeps = Omit<RunnerDeps, "informers" | "hub" | "metrics"> & {
  readonly hub?: Omit<HubDeps, "informers">;
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
  const { client, hub, cluster, signal = AbortSignal.timeout(PATIENCE) } = deps;
  const { logger = silentLogger } = deps;
  checkNames(controller, deps.fieldManagerPrefix ?? "", cluster);
  checkPlace(controller, deps);
  await using informers = new Informers(client, { logger });
  await using ofHub = new Informers(hub?.client ?? client, { logger });
  const hubInformers = hub?.client === client ? informers : ofHub;
  const sources = new Sources(controller, { informers, hub: { informers: hubInformers }, cluster });
  await sources.synced(signal);
  const run = new Run(
    environmentOf(controller, sources, deps),
    typeof target === "string" ? target : keyOf(target),
  );
  const { view } = sources.primary;
  return (
    (await reconcileKey({ controller, view, deleted: new Set(), finalized: new Map() }, run)) ??
    done
  );
}

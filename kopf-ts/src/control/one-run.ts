/** One run of a controller, with caches filled for it. */

import { silentLogger } from "../base/index.ts";
import { Informers } from "../cache/index.ts";
import { type KubeObject, keyOf } from "../kube/index.ts";
import type { Controller } from "./controller.ts";
import { checkNames, checkPlace } from "./names.ts";
import { reconcileKey } from "./reconcile-key.ts";
import { done, type Result } from "./result.ts";
import { Run } from "./run.ts";
import { type EnvironmentDeps, environmentOf, type HubDeps, type RunnerDeps } from "./runner.ts";
import { Sources } from "./sources.ts";

/** Milliseconds for the caches to fill. */
const PATIENCE = 30_000;

/** What one run works with. */
export type ReconcileOnceDeps = Omit<RunnerDeps, "informers" | "hub" | "metrics"> & {
  readonly hub?: Omit<HubDeps, "informers">;
  /** Ends the wait for the caches, and the run; without one the caches get 30 s, and the run as long as it takes. */
  readonly signal?: AbortSignal;
};

/** A controller whose caches are filled; dispose it to give them back. */
export interface OneRun<T extends KubeObject> extends AsyncDisposable {
  readonly key: string;
  readonly sources: Sources<T>;
  /** Runs it, with the clients of `through`. Rejects with whatever the controller throws. */
  readonly run: (through: EnvironmentDeps) => Promise<Result>;
}

/**
 * Fills the caches that a controller declares from the API servers, as they are now. Throws a TypeError for a declaration that no runner would take; rejects when
 * caches do not fill in time, with what is missing and why, and the signal's reason as its cause.
 */
export async function oneRun<T extends KubeObject>(
  controller: Controller<T>,
  target: T | string,
  deps: ReconcileOnceDeps,
): Promise<OneRun<T>> {
  const { client, hub, cluster, logger = silentLogger, signal } = deps;
  checkNames(controller, deps.fieldManagerPrefix ?? "", cluster);
  checkPlace(controller, deps);
  await using opened = new AsyncDisposableStack();
  const informers = opened.use(new Informers(client, { logger }));
  const ofHub = opened.use(new Informers(hub?.client ?? client, { logger }));
  const hubInformers = hub?.client === client ? informers : ofHub;
  const sources = new Sources(controller, { informers, hub: { informers: hubInformers }, cluster });
  await fill(sources, signal ?? AbortSignal.timeout(PATIENCE));

  const key = typeof target === "string" ? target : keyOf(target);
  const { view } = sources.primary;
  const about = { controller, view, deleted: new Set<string>(), finalized: new Map() };
  const run = (through: EnvironmentDeps): Promise<Result> => {
    const one = new Run(environmentOf(controller, sources, through), key);
    return endingWith(signal, one, async () => (await reconcileKey(about, one)) ?? done);
  };
  const held = opened.move();
  return { key, sources, run, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

async function fill<T extends KubeObject>(sources: Sources<T>, signal: AbortSignal): Promise<void> {
  try {
    await sources.synced(signal);
  } catch (cause) {
    const missing = sources.missing.map(({ resource, reason }) => `${resource} (${reason})`);
    if (missing.length === 0) throw cause;
    throw new Error(`caches are not filled: ${missing.join(", ")}`, { cause });
  }
}

/** The signal aborts the run. */
async function endingWith<R>(
  signal: AbortSignal | undefined,
  run: Run,
  work: () => Promise<R>,
): Promise<R> {
  const abort = (): void => run.abort(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    return await work();
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

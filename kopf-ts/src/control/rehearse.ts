/** What a controller would do about an object, without doing it. */

import { markedOwnerOf } from "../apply/index.ts";
import { silentLogger } from "../base/index.ts";
import { Informers } from "../cache/index.ts";
import { type KubeObject, keyOf } from "../kube/index.ts";
import type { Controller } from "./controller.ts";
import { checkHub, checkNames } from "./names.ts";
import { reconcileKey } from "./reconcile-key.ts";
import type { ReconcileOnceDeps } from "./reconcile-once.ts";
import { type RehearsedWrite, rehearsalClient } from "./rehearsal-client.ts";
import { done, type Result } from "./result.ts";
import { Run } from "./run.ts";
import { environmentOf } from "./runner.ts";
import { setsOf } from "./sets.ts";
import { Sources } from "./sources.ts";

/** Milliseconds for the caches to fill. */
const PATIENCE = 30_000;

/** What a rehearsal showed. */
export interface Rehearsal {
  /** What the controller would write, in order. Nothing where all is as it should be. */
  readonly writes: readonly RehearsedWrite[];
  /** What exists because of the object: of the kinds that the controller owns, by reference or marks. */
  readonly owned: readonly KubeObject[];
  readonly result?: Result;
  /** What the reconciler threw. */
  readonly error?: unknown;
}

/**
 * Runs a controller once for one object (or key) with every write as a dry run: the server validates and admits, and stores nothing. Whatever a controller does
 * elsewhere than through its context's clients is done. Never rejects with what the controller throws; rejects when caches do not fill.
 */
export async function rehearse<T extends KubeObject>(
  controller: Controller<T>,
  target: T | string,
  deps: ReconcileOnceDeps,
): Promise<Rehearsal> {
  const { client, hub, cluster, logger = silentLogger } = deps;
  const { signal = AbortSignal.timeout(PATIENCE) } = deps;
  checkNames(controller, deps.fieldManagerPrefix ?? "", cluster);
  checkHub(controller, deps);
  await using informers = new Informers(client, { logger });
  await using ofHub = new Informers(hub?.client ?? client, { logger });
  const hubInformers = hub?.client === client ? informers : ofHub;
  const sources = new Sources(controller, { informers, hub: { informers: hubInformers }, cluster });
  await sources.synced(signal);

  const writes: RehearsedWrite[] = [];
  const note = (write: RehearsedWrite): void => void writes.push(write);
  const changed = [...sources.owned, ...sources.related].map(({ kind }) => kind);
  const kinds = [controller.watches, ...changed];
  const dry = {
    ...deps,
    client: rehearsalClient(client, { where: "cluster", kinds, note }),
    ...(hub !== undefined && {
      hub: { ...hub, client: rehearsalClient(hub.client, { where: "hub", kinds, note }) },
    }),
  };
  const key = typeof target === "string" ? target : keyOf(target);
  const run = new Run(environmentOf(controller, sources, dry), key);
  const { view } = sources.primary;
  const about = { controller, view, deleted: new Set<string>(), finalized: new Map() };
  const outcome = await reconcileKey(about, run).then(
    (result = done) => ({ result }),
    (error: unknown) => ({ error }),
  );
  return { writes, owned: ownedIn(sources, controller, { key, cluster }), ...outcome };
}

/** A cluster's objects of an owner; looks at all of a kind, which is no matter for one command. */
function ownedIn<T extends KubeObject>(
  sources: Sources<T>,
  controller: Controller<T>,
  { key, cluster = "" }: { readonly key: string; readonly cluster?: string | undefined },
): readonly KubeObject[] {
  const { watches } = controller;
  const scope = setsOf(controller, "cluster", cluster)?.scope;
  const isOwned = (object: KubeObject): boolean => {
    const marked = markedOwnerOf(object, scope);
    if (marked?.kind === watches.kind && keyOf(marked) === key) return true;
    if (scope !== undefined) return false; // what refers to an owner of that name means one of this cluster
    const { namespace, ownerReferences = [] } = object.metadata;
    return ownerReferences.some(
      ({ kind, name }) =>
        kind === watches.kind &&
        (watches.scope === "Cluster" ? name : `${namespace}/${name}`) === key,
    );
  };
  const found = sources.owned.flatMap(({ informer }) => informer.cache.list().filter(isOwned));
  return [...new Map(found.map((object) => [object.metadata.uid, object])).values()];
}

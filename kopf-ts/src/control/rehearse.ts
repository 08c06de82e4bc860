/** What a controller would do about an object, without doing it. */

import { type EventInput, markedOwnerOf } from "../apply/index.ts";
import { type KubeObject, keyOf, type ObjectRef } from "../kube/index.ts";
import type { Controller } from "./controller.ts";
import { oneRun, type ReconcileOnceDeps } from "./one-run.ts";
import { type RehearsedWrite, rehearsalClient } from "./rehearsal-client.ts";
import type { Result } from "./result.ts";
import type { EventSink } from "./run.ts";
import { setsOf } from "./sets.ts";
import type { Sources } from "./sources.ts";

/** What the controller would tell people, and about what. */
export interface RehearsedEvent extends Pick<EventInput, "type" | "reason" | "message"> {
  readonly object: ObjectRef;
}

/** What a rehearsal showed. */
export interface Rehearsal {
  /** What the controller would write, in order. Nothing where all is as it should be. */
  readonly writes: readonly RehearsedWrite[];
  /** Events that the controller would have recorded, in order. */
  readonly events: readonly RehearsedEvent[];
  /** What exists because of the object: of the kinds that the controller owns, by reference or marks. */
  readonly owned: readonly KubeObject[];
  readonly result?: Result;
  /** What the reconciler threw. */
  readonly error?: unknown;
}

/**
 * Runs a controller once for one object (or key) with every write as a dry run: the server validates and admits, and stores nothing; Events go to nobody. Whatever a controller does
 * elsewhere than through its context's clients is done. Never rejects with what the controller throws; rejects when caches do not fill, and when the signal aborts.
 */
export async function rehearse<T extends KubeObject>(
  controller: Controller<T>,
  target: T | string,
  deps: ReconcileOnceDeps,
): Promise<Rehearsal> {
  const { client, hub, cluster, signal } = deps;
  await using one = await oneRun(controller, target, deps);
  const { key, sources } = one;
  const writes: RehearsedWrite[] = [];
  const note = (write: RehearsedWrite): void => void writes.push(write);
  const events: RehearsedEvent[] = [];
  const sink: EventSink = {
    event: (object, { type, reason, message }) => events.push({ object, type, reason, message }),
  };
  const changed = [...sources.owned, ...sources.related].map(({ kind }) => kind);
  const kinds = [controller.watches, ...changed];
  const dry = {
    ...deps,
    client: rehearsalClient(client, { where: "cluster", kinds, note }),
    events: sink,
    ...(hub !== undefined && {
      hub: {
        ...hub,
        client: rehearsalClient(hub.client, { where: "hub", kinds, note }),
        events: sink,
      },
    }),
  };
  const outcome = await one.run(dry).then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  signal?.throwIfAborted(); // what a run that was cut off has shown is not all
  return { writes, events, owned: ownedIn(sources, controller, { key, cluster }), ...outcome };
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

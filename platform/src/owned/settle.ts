/** Makes what an object brings along be as it should: applied, repaired, recreated where it cannot be changed, and purged. */

import {
  ApplyError,
  apiVersionOf,
  applySet,
  type CacheAccess,
  type Client,
  claimOf,
  isConflict,
  type Kind,
  type KubeObject,
  keyOf,
  marksOf,
  setLabel,
} from "kopf-ts";
import type { RoleRef } from "kopf-ts/kinds";
import { belongsTo, labelled, type Ownership } from "./ownership.ts";
import { cannotDelete, nameTaken, outOfTouch, type Problem, problemsIn } from "./problem.ts";

/** Objects that succeed or fail together, as far as people are told. */
export interface Part {
  /** Tells the part apart from others of the same owner; must never change. */
  readonly id: string;
  /** Every kind that it may contain, also when it contains none now. */
  readonly kinds: readonly Kind[];
  readonly objects: readonly KubeObject[];
  /** Whether a stored object can only be replaced; for another roleRef unless told, which nobody can change. */
  readonly mustReplace?: (live: KubeObject, object: KubeObject) => boolean;
}

/** What a run of a reconciler offers. Its caches need the indexes of `ownedForm`. */
export interface Settling {
  readonly client: Client;
  readonly cache: CacheAccess;
  readonly signal: AbortSignal;
}

/**
 * Makes every part what it should be, and answers the problems of each, in the order of the parts. What went wrong with one stops no other; conflicts
 * alone are thrown, as they are gone when the run is tried again.
 *
 * Objects are applied by `applySet`, so those that are in order cost no request. A binding whose roleRef is not as wanted is deleted and created
 * again, since it can never be changed. An object of a wanted name that bears no sign of the owner is a stranger's and left alone. What bears the owner's
 * label and is in no part is deleted, also what a Rancher before us made; but not in a managed cluster, which may be a hub itself whose owners have the
 * same names: there only marks tell.
 */
export async function settle(
  parts: readonly Part[],
  ownership: Ownership,
  run: Settling,
): Promise<readonly (readonly Problem[])[]> {
  const applied = await Promise.all(parts.map((part) => apply(part, ownership, run)));
  const wanted = new Set(parts.flatMap(({ objects }) => objects).map(identityOf));
  const purged = new Map<Part | undefined, readonly Problem[]>();
  for (const kind of new Set(parts.flatMap((part) => part.kinds))) {
    const part = parts.find(({ kinds }) => kinds.includes(kind));
    const problems = await purge(kind, wanted, ownership, run);
    purged.set(part, [...(purged.get(part) ?? []), ...problems]);
  }
  return parts.map((part, at) => [...(applied[at] ?? []), ...(purged.get(part) ?? [])]);
}

async function apply(
  part: Part,
  ownership: Ownership,
  { client, cache, signal }: Settling,
): Promise<readonly Problem[]> {
  const pairs = part.objects.map((object) => ({ object, live: liveOf(object, part, cache) }));
  const set = { id: part.id, owner: ownership.owner, scope: client.sets?.scope };
  const isOurs = (live: KubeObject): boolean =>
    belongsTo(live, ownership, set.scope) ||
    isMarkedButForItsLabel(live, marksOf(set).hash) ||
    (claimOf(live) === undefined && ownership.adopts?.(live) === true);
  const strangers = pairs.flatMap(({ live }) => (live === undefined || isOurs(live) ? [] : [live]));
  const ours = pairs.filter(({ live }) => live === undefined || !strangers.includes(live));
  const { mustReplace = grantsAnotherRole } = part;
  for (const { object, live } of ours) {
    if (live === undefined || live.metadata.deletionTimestamp !== undefined) continue;
    if (mustReplace(live, object)) await client.delete(live);
  }
  const objects = ours.map(({ object }) => object);
  const { owner } = ownership;
  const caches = (kind: Kind) => cache(kind);
  const options = { owner, id: part.id, prune: part.kinds, caches, adopts: isOurs, signal };
  const failed = await applySet(client, objects, options).then(() => undefined, onlyApplyErrors);
  return [...strangers.map(nameTaken), ...(failed === undefined ? [] : problemsIn(failed))];
}

/** Somebody took its labels away; its annotations still say that it was made for this set, and is this very object. */
function isMarkedButForItsLabel(live: KubeObject, hash: string): boolean {
  const labels = { ...live.metadata.labels, [setLabel]: hash };
  return claimOf({ ...live, metadata: { ...live.metadata, labels } }) === hash;
}

/** What bears the marks of a part was pruned by it. */
async function purge(
  kind: Kind,
  wanted: ReadonlySet<string>,
  { label }: Ownership,
  { client, cache }: Settling,
): Promise<readonly Problem[]> {
  if (client.sets?.ownersElsewhere === true) return [];
  const leftovers = labelled(cache, kind, label).filter((object) => isLeftover(object, wanted));
  if (leftovers.length === 0) return [];
  if (!isInTouch(cache, kind)) return [outOfTouch(kind)];
  const problems: Problem[] = [];
  for (const object of leftovers) {
    await client.delete(object).catch((error: unknown) => {
      if (isConflict(error)) throw error;
      problems.push(cannotDelete(object, error));
    });
  }
  return problems;
}

/** As far as bindings are told apart from all else. */
type Referring = KubeObject & { readonly roleRef?: RoleRef };

/** Whether a binding grants another role than `wanted`: since a roleRef cannot be changed, it must go first. No other object does. */
export function grantsAnotherRole(live: KubeObject, wanted: KubeObject): boolean {
  const [stored, asked] = [live, wanted].map((object) => (object as Referring).roleRef); // absent on all but bindings
  return (
    stored?.kind !== asked?.kind ||
    stored?.name !== asked?.name ||
    stored?.apiGroup !== asked?.apiGroup
  );
}

function liveOf(object: KubeObject, { kinds }: Part, cache: CacheAccess): KubeObject | undefined {
  const kind = kinds.find(
    (each) => each.kind === object.kind && apiVersionOf(each) === object.apiVersion,
  );
  return kind === undefined ? undefined : cache(kind).get(keyOf(object));
}

/** What bears a set's label is another set's, or the copy that somebody made of an object of ours, who keeps it. */
function isLeftover({ metadata, ...object }: KubeObject, wanted: ReadonlySet<string>): boolean {
  return (
    !wanted.has(identityOf({ ...object, metadata })) &&
    metadata.deletionTimestamp === undefined &&
    metadata.labels?.[setLabel] === undefined
  );
}

function identityOf(object: KubeObject): string {
  return `${object.kind} ${keyOf(object)}`;
}

/** A cache that lost its watch is of unknown age: it destroys nothing. */
function isInTouch(cache: CacheAccess, kind: Kind): boolean {
  const { synced, watchState } = cache(kind);
  return synced && watchState.phase !== "degraded";
}

/** A conflict is thrown, for it is gone when the run is tried again, at once: people need not be told. */
function onlyApplyErrors(error: unknown): ApplyError {
  if (error instanceof ApplyError && !error.errors.some(isConflictError)) return error;
  throw error;
}

function isConflictError(error: unknown): boolean {
  return isConflict(error);
}

/** Makes shared objects be there for as long as one of their owners wants them. */

import { Cluster, isObjectName, localClusterName } from "@drover/crds";
import {
  apiVersionOf,
  type Hub,
  isAlreadyExists,
  isConflict,
  type Kind,
  type KubeObject,
  keyOf,
  parseKey,
} from "kopf-ts";
import {
  cannotApply,
  cannotDelete,
  nameTaken,
  outOfTouch,
  type Problem,
  type Settling,
} from "../owned/index.ts";
import { type Claimant, claimIndex, claimsOn, claimValue, isClaimedBy } from "./marks.ts";
import { type Step, stepAway, stepToward } from "./plan.ts";

/** What a claimant wants. */
export interface Wanted {
  /** Every kind that it may want, also when it wants none now. */
  readonly kinds: readonly Kind[];
  readonly objects: readonly KubeObject[];
  /** What stays as it is, though it is not among the objects. */
  readonly keep?: (live: KubeObject) => boolean;
  /** Whether an object of a wanted name that has neither claim nor label is taken over: what a Rancher made bears no mark of some owners. */
  readonly adopts?: (live: KubeObject) => boolean;
  /** What an older model made for the claimant, without claims: it goes, and is taken over where it has the name of what is wanted. */
  readonly legacy?: readonly KubeObject[];
}

/** A run of whoever claims. Those who work for one of a hub's clusters have the hub. */
type Claiming = Settling & { readonly hub?: Hub };

/** Requests at once. */
const concurrency = 8;

/**
 * Makes each object be there, claimed by the claimant, and takes the claimant off all others; those that nobody claims any more are deleted. Answers what
 * went wrong; conflicts alone are thrown, as they are gone when the run is tried again. What is in order costs no request.
 *
 * An object's name must follow from what it grants, so that all who claim a name want the same. A binding with another roleRef or other subjects is
 * replaced, and keeps its claims. An object of a wanted name that has neither a claim nor the claimant's label is a stranger's and left alone. Labels alone
 * never cause a deletion. What only claims of clusters keep that the hub, as its server says, does not have any more goes: one that could not be cleaned up when
 * it was removed may be back under another name.
 */
export async function claim(
  { kinds, objects, keep = () => false, adopts = () => false, legacy = [] }: Wanted,
  claimant: Claimant,
  run: Claiming,
): Promise<readonly Problem[]> {
  const names = new Set(objects.map(identityOf));
  const isLeft = (live: KubeObject): boolean => !names.has(identityOf(live)) && !keep(live);
  const left = [...held(kinds, claimant, run), ...legacy].filter(isLeft);
  const old = new Set(legacy.map(identityOf));
  const isOwn = (live: KubeObject): boolean => old.has(identityOf(live)) || adopts(live);
  const toward = objects.map((object) =>
    stepToward(object, liveOf(object, kinds, run), claimant, isOwn),
  );
  const gone = await goneClusters(left, claimant, run);
  const away = left.map((live) => stepAway(live, claimant, gone));
  const lost = left.length === 0 ? [] : kinds.filter((kind) => !isInTouch(kind, run));
  const steps = [...toward, ...(lost.length === 0 ? away : [])].filter(
    (step) => step !== undefined,
  );
  return [...lost.map(outOfTouch), ...(await carryOut(steps, run))];
}

/** Takes the claimant off all that it claims, once the hub's server has confirmed that it is no more. */
export async function unclaim(
  kinds: readonly Kind[],
  claimant: Claimant,
  run: Settling & { readonly hub: Hub },
): Promise<readonly Problem[]> {
  if (held(kinds, claimant, run).length === 0) return [];
  const { name, namespace } = parseKey(claimant.key);
  if ((await run.hub.client.find(claimant.kind, name, { namespace })) !== undefined) return [];
  return claim({ kinds, objects: [] }, claimant, run);
}

/** What a cluster is called that claims for itself: by the server in it, and as one of that server's clusters. */
const ofServers: readonly string[] = ["", localClusterName];

/** Clusters that claim some of the objects and are none of the hub's. Whoever works for the server's own cluster knows nothing of the hubs above it. */
async function goneClusters(
  objects: readonly KubeObject[],
  { cluster }: Claimant,
  run: Claiming,
): Promise<ReadonlySet<string>> {
  const gone = new Set<string>();
  if (ofServers.includes(cluster)) return gone;
  const claiming = new Set(objects.flatMap((each) => claimsOn(each)).map((each) => each.cluster));
  for (const name of claiming) {
    if (name === cluster || ofServers.includes(name) || !isObjectName(name)) continue; // anybody may write an annotation there
    const known = await run.hub?.client.find(Cluster, name);
    if (run.hub !== undefined && known === undefined) gone.add(name);
  }
  return gone;
}

/** One owner may claim under several labels, each by itself. */
function held(kinds: readonly Kind[], claimant: Claimant, { cache }: Settling): KubeObject[] {
  const value = claimValue(claimant);
  return kinds.flatMap((kind) =>
    cache(kind)
      .byIndex(claimIndex.name, value)
      .filter((object) => isClaimedBy(object, claimant)),
  );
}

function liveOf(
  object: KubeObject,
  kinds: readonly Kind[],
  { cache }: Settling,
): KubeObject | undefined {
  const kind = kinds.find(
    (each) => each.kind === object.kind && apiVersionOf(each) === object.apiVersion,
  );
  if (kind === undefined) throw new TypeError(`${object.kind} is not among the kinds`);
  return cache(kind).get(keyOf(object));
}

async function carryOut(steps: readonly Step[], run: Settling): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  const rest = steps.values();
  const worker = async (): Promise<void> => {
    for (const step of rest) {
      run.signal.throwIfAborted();
      const problem = await attempt(step, run);
      if (problem !== undefined) problems.push(problem);
    }
  };
  const workers = Array.from({ length: Math.min(concurrency, steps.length) }, worker);
  for (const ended of await Promise.allSettled(workers)) {
    if (ended.status === "rejected") throw ended.reason;
  }
  return problems;
}

/** One that was made meanwhile is a conflict too: the cache is about to show it. */
async function attempt(step: Step, { client, signal }: Settling): Promise<Problem | undefined> {
  if (step.do === "leave") return nameTaken(step.live);
  try {
    if (step.do === "delete" || step.do === "replace") await client.delete(step.live);
    if (step.do === "create" || step.do === "replace") await client.create(step.object);
    if (step.do === "patch") await client.patch(step.live, { merge: step.merge });
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (isConflict(error) || isAlreadyExists(error)) throw error;
    return step.do === "delete"
      ? cannotDelete(step.live, error)
      : cannotApply(step.do === "patch" ? step.live : step.object, error);
  }
}

/** A cache that lost its watch is of unknown age: it destroys nothing. */
function isInTouch(kind: Kind, { cache }: Settling): boolean {
  const { synced, watchState } = cache(kind);
  return synced && watchState.phase !== "degraded";
}

function identityOf(object: KubeObject): string {
  return `${object.kind} ${keyOf(object)}`;
}

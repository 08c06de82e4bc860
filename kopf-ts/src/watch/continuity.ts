/** Whether a server that was away still stands behind what it told. */

import { ApiError, nameSelector, type SelectorOptions } from "../kube/index.ts";
import { open, type WatchContext } from "./context.ts";
import { WatchFailure } from "./failure.ts";
import { readList } from "./items.ts";
import type { LastTold, Position } from "./position.ts";
import { sample, type Target, type WatchRequest } from "./request.ts";
import { compareResourceVersions, type ScannedObject, scanObject } from "./scan.ts";

/** What the server answered: as of when, and the one object that was asked for, if it is there. */
export interface Sample {
  readonly resourceVersion: string;
  readonly found: Pick<LastTold, "uid" | "resourceVersion"> | undefined;
}

/** `changed`: its history tells. */
export type Comparison = "holds" | "lost" | "unknown" | "changed";

/** What may pass, as rights that a server has not read yet when it starts. One that answers so again is not asked any more. */
const passing = new Set([403, 500, 501]);
const mostFailures = 2;

/**
 * Asks a server whose connection broke whether it still has what was told last, with a list of one object, and, where that has changed since, another one of the
 * state at that time. An API server takes a watch from a revision that it has not reached, and is then silent until it has passed it (apiserver:
 * storage/cacher/cache_watcher.go, process): what a restored etcd lost would stay, what came back would be missing. Afterwards the position is proven, or
 * doubted where nothing can be said. Rejects with a WatchFailure `Restored` when the server has lost what it told, and as lists do when it is away.
 */
export async function prove(context: WatchContext, signal: AbortSignal): Promise<void> {
  const { position } = context;
  switch (await answerOf(context, signal)) {
    case "holds":
      return position.proven();
    case "lost":
      throw new WatchFailure(
        "Restored",
        "the server has lost changes that it told, as after a restore from a backup",
      );
    default:
      return position.doubt();
  }
}

async function answerOf(context: WatchContext, signal: AbortSignal): Promise<Comparison> {
  const { position, target } = context;
  const { last } = position;
  const asked = last === undefined ? target : only(target, last);
  try {
    const newest = await ask(context, sample(asked), signal);
    const answer = compareNewest(position, newest);
    if (answer !== "changed" || last === undefined) return answer;
    const at = timeOf(last);
    return at === undefined
      ? "unknown"
      : comparePast(last, at, await ask(context, sample(asked, at), signal));
  } catch (thrown) {
    if (cannotTell(thrown, position)) return "unknown";
    throw thrown;
  }
}

/** Refused as it is asked, compacted, or broken for good; not: away, busy, or without credentials. */
function cannotTell(thrown: unknown, position: Position): boolean {
  if (!(thrown instanceof ApiError)) return false;
  const { code } = thrown;
  if (passing.has(code)) return position.proofFailed() >= mostFailures;
  return code >= 400 && code < 500 && code !== 401 && code !== 429;
}

/** The one object, whether or not it still matches what selects it. */
function only({ kind, namespace }: Target, last: LastTold): SelectorOptions & Pick<Target, "kind"> {
  const within = last.namespace || namespace;
  return { kind, fieldSelector: nameSelector(last.name), ...(within && { namespace: within }) };
}

/** When the object was as it was told; for a deletion just before. Undefined where revisions are no numbers. */
function timeOf({ resourceVersion, deleted }: LastTold): string | undefined {
  if (!isRevision(resourceVersion)) return undefined;
  return deleted ? String(BigInt(resourceVersion) - 1n) : resourceVersion;
}

async function ask(
  context: WatchContext,
  request: WatchRequest,
  signal: AbortSignal,
): Promise<Sample> {
  const { clock, metrics, position, timing, turns } = context;
  const stream = await open(context, request, timing.answer, signal);
  let found: Sample["found"];
  try {
    const { resourceVersion } = await readList(stream, {
      ...{ clock, turns, path: request.path, silence: timing.answer },
      onChunk: (length) => metrics?.received(length),
      onItem: (bytes, start, end) => {
        const object = scanObject(bytes, start, end);
        if (object === undefined || !isSame(object, position.last)) return;
        found = { uid: object.uid, resourceVersion: object.resourceVersion };
      },
    });
    return { resourceVersion, found };
  } finally {
    stream.close();
  }
}

/** Some aggregated API servers know no field selectors. */
function isSame({ name, namespace }: ScannedObject, last: LastTold | undefined): boolean {
  return last === undefined || (name === last.name && namespace === last.namespace);
}

/** Pure. A sample is the newest state, so nothing in it is older than what was told unless the server went back. */
export function compareNewest(
  { resourceVersion, last }: Pick<Position, "resourceVersion" | "last">,
  { resourceVersion: newest, found }: Sample,
): Comparison {
  if (!isRevision(newest)) return "unknown";
  if (isOlder(newest, resourceVersion)) return "lost";
  if (last === undefined) {
    // Nothing was there, so what is there now must be newer.
    if (found === undefined) return "holds";
    return isOlder(resourceVersion, found.resourceVersion) ? "unknown" : "lost";
  }
  if (found === undefined || isOlder(last.resourceVersion, found.resourceVersion)) return "changed";
  return isAsTold(found, last) ? "holds" : "lost";
}

/** Pure. What was deleted just after must have been there; what was there must be as it was told. Servers that do not answer for that time cannot tell. */
export function comparePast(
  last: LastTold,
  at: string,
  { resourceVersion, found }: Sample,
): Comparison {
  if (resourceVersion !== at) return "unknown";
  if (found === undefined) return "lost";
  return last.deleted || isAsTold(found, last) ? "holds" : "lost";
}

function isAsTold(found: NonNullable<Sample["found"]>, last: LastTold): boolean {
  return found.resourceVersion === last.resourceVersion && found.uid === last.uid;
}

function isRevision(text: string): boolean {
  return /^[1-9]\d*$/.test(text);
}

function isOlder(a: string, b: string): boolean {
  return compareResourceVersions(a, b) < 0;
}

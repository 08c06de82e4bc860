/** Whether a server that was away still stands behind what it told. */

import { ApiError, onlyNamed } from "../kube/index.ts";
import { type Comparison, compare, type Sample } from "./comparison.ts";
import { open, type WatchContext } from "./context.ts";
import { WatchFailure } from "./failure.ts";
import { readList } from "./items.ts";
import type { LastTold, Position } from "./position.ts";
import { sample, type WatchRequest } from "./request.ts";
import { type ScannedObject, scanObject } from "./scan.ts";

/** What may pass, as rights that a server has not read yet when it starts. One that answers so again is not asked any more. */
const passing = new Set([403, 500, 501]);
const mostFailures = 2;

/**
 * Asks a server whose connection broke whether it still has what was told last, with a list of one object, and, where that has changed since, with others of the
 * state at earlier times. An API server takes a watch from a revision that it has not reached, and is then silent until it has passed it (apiserver:
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
  // Within what the watch selects: what has left that is as good as deleted.
  const asked = last === undefined ? target : { ...target, ...onlyNamed(target, last) };
  try {
    return await compare(position, (at) => ask(context, sample(asked, at), signal));
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

async function ask(
  context: WatchContext,
  request: WatchRequest,
  signal: AbortSignal,
): Promise<Sample> {
  const { clock, metrics, position, timing, turns } = context;
  const until = clock.monotonic() + timing.answer;
  const stream = await open(context, request, timing.answer, signal);
  let found: Sample["found"];
  let others = false;
  try {
    const list = await readList(stream, {
      ...{ clock, turns, path: request.path, silence: timing.answer, until },
      onChunk: (length) => metrics?.received(length),
      onItem: (bytes, start, end) => {
        const object = scanObject(bytes, start, end);
        if (object === undefined || !isSame(object, position.last)) others = true;
        else found = { uid: object.uid, resourceVersion: object.resourceVersion };
      },
    });
    const isWhole = !others && list.continue === "";
    return { resourceVersion: list.resourceVersion, found, isWhole };
  } finally {
    stream.close();
  }
}

/** Some aggregated API servers know no field selectors. */
function isSame({ name, namespace }: ScannedObject, last: LastTold | undefined): boolean {
  return last === undefined || (name === last.name && namespace === last.namespace);
}

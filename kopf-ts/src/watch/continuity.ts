/** Whether a server that was away still stands behind what it told. */

import type { RawStream } from "../kube/index.ts";
import { open, type WatchContext } from "./context.ts";
import { WatchFailure } from "./failure.ts";
import { readList } from "./items.ts";
import type { LastTold, Position } from "./position.ts";
import { page, type Target, type WatchRequest } from "./request.ts";
import { compareResourceVersions, type ScannedObject, scanObject } from "./scan.ts";

/** What the server answered: how far it is, and the resourceVersion of the one object that was asked for, if it is there. */
export interface Sample {
  readonly resourceVersion: string;
  readonly found: string | undefined;
}

/**
 * Asks a server whose connection broke whether it still has what was told last, with a list of one object. An API server takes a watch from a revision
 * that it has not reached, and is then silent until it has passed it (apiserver: storage/cacher/cache_watcher.go, process): what a restored
 * etcd lost would stay, what came back would be missing. Afterwards the position is proven, or doubted where nothing can be said. Rejects with
 * a WatchFailure `Restored` when the server has lost what it told, and as lists do.
 */
export async function prove(context: WatchContext, signal: AbortSignal): Promise<void> {
  const { position, target } = context;
  const request = sampleOf(target, position.last);
  switch (compare(position, await ask(context, request, signal))) {
    case "holds":
      return position.proven();
    case "unknown":
      return position.doubt();
    case "lost":
      throw new WatchFailure(
        "Restored",
        `watch ${request.path}: the server has lost changes that it told, as after a restore from a backup`,
      );
  }
}

/** The object that was told last; any, where none was. */
function sampleOf(target: Target, last: LastTold | undefined): WatchRequest {
  const wanted = last === undefined ? target : only(target, last);
  const plain = { ...wanted, metadataOnly: true, table: false };
  return page(plain, { resourceVersion: "", limit: 1, next: "" });
}

/** The one object, whether or not it still matches what selects it. */
function only(
  { kind }: Target,
  { namespace, name }: LastTold,
): Omit<Target, "metadataOnly" | "table"> {
  const fieldSelector = `metadata.name=${escaped(name)}`;
  return { kind, fieldSelector, ...(namespace !== "" && { namespace }) };
}

/** As fields.EscapeValue does (apimachinery: pkg/fields/selector.go). */
function escaped(value: string): string {
  return value.replace(/[\\,=]/g, "\\$&");
}

async function ask(
  context: WatchContext,
  request: WatchRequest,
  signal: AbortSignal,
): Promise<Sample> {
  const { clock, metrics, timing, turns } = context;
  const { path } = request;
  const stream: RawStream = await open(context, request, timing.answer, signal);
  let found: string | undefined;
  try {
    const { resourceVersion } = await readList(stream, {
      ...{ clock, turns, path, silence: timing.answer },
      onChunk: (length) => metrics?.received(length),
      onItem: (bytes, start, end) => {
        const object = scanObject(bytes, start, end);
        if (object && isSame(object, context.position.last)) found = object.resourceVersion;
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
export function compare(
  { resourceVersion, last }: Pick<Position, "resourceVersion" | "last">,
  sample: Sample,
): "holds" | "lost" | "unknown" {
  if (isOlder(sample.resourceVersion, resourceVersion)) return "lost";
  if (last === undefined) {
    // Nothing was there, so what is there now must be newer.
    return sample.found !== undefined && !isOlder(resourceVersion, sample.found) ? "lost" : "holds";
  }
  if (sample.found === undefined) return last.deleted ? "holds" : "unknown";
  return isOlder(sample.found, last.resourceVersion) ? "lost" : "holds";
}

function isOlder(a: string, b: string): boolean {
  return compareResourceVersions(a, b) < 0;
}

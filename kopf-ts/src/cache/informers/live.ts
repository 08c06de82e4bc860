/** Reads what the server holds, beside the watch. */

import type { Clock } from "../../base/index.ts";
import {
  type Client,
  collectionPath,
  type Kind,
  onlyNamed,
  queryString,
} from "../../kube/index.ts";
import {
  type ListMetadata,
  packed,
  readList,
  type ScannedObject,
  scanObject,
  TableRows,
  type Turns,
  tableRequest,
} from "../../watch/index.ts";
import { keyOf } from "../facts.ts";
import type { InformerOptions } from "./informer.ts";

/** Which objects, of whom, how long. */
export interface LiveRequest {
  readonly client: Client;
  readonly clock: Clock;
  readonly turns: Turns;
  readonly kind: Kind;
  readonly options: InformerOptions;
  readonly signal: AbortSignal;
}

const PAGE = 500;
/** Milliseconds for one page. */
const TIMEOUT = 60_000;
const METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/** Key and resourceVersion of everything, page by page; returns the resourceVersion of the list. */
export async function listLive(
  request: LiveRequest,
  onItem: (key: string, resourceVersion: string) => void,
): Promise<string> {
  let next = "";
  for (;;) {
    const page = await readPage(request, METADATA, { limit: PAGE, continue: next }, (object) =>
      onItem(keyOf(object.namespace, object.name), object.resourceVersion),
    );
    if (page.continue === "") return page.resourceVersion;
    next = page.continue;
  }
}

/**
 * One object as the watch would tell it, undefined when there is none (or the selectors do not match), and the resourceVersion it was read at.
 * What else the server sends (one that does not know the field selector sends everything) is not it.
 */
export async function readLive(
  request: LiveRequest,
  named: { readonly namespace?: string; readonly name: string },
): Promise<{ readonly object: ScannedObject | undefined; readonly resourceVersion: string }> {
  const { metadataOnly = false, table = false } = request.options;
  const options = { ...request.options, ...onlyNamed(request.options, named) };
  const asked = { ...request, options };
  const plain = metadataOnly ? METADATA : "application/json";
  const { accept, ...more } = table ? tableRequest(plain, metadataOnly) : { accept: plain };
  const key = keyOf(named.namespace ?? "", named.name);
  let found: ScannedObject | undefined;
  let next = "";
  for (;;) {
    const page = await readPage(asked, accept, { continue: next, ...more }, (object) => {
      if (keyOf(object.namespace, object.name) === key) found = copyOf(object);
    });
    if (found !== undefined || page.continue === "") {
      return { object: found, resourceVersion: page.resourceVersion };
    }
    next = page.continue;
  }
}

/** One that stays: the bytes of a list do not. */
function copyOf({ bytes, start, end }: ScannedObject): ScannedObject | undefined {
  const copy = Buffer.from(bytes.subarray(start, end));
  return scanObject(copy, 0, copy.length);
}

/** Objects go by as they come, so that a page of large ones holds nothing up. */
async function readPage(
  { client, clock, turns, kind, options, signal }: LiveRequest,
  accept: string,
  query: Readonly<Record<string, string | number>>,
  onObject: (object: ScannedObject) => void,
): Promise<ListMetadata> {
  const { namespace, labelSelector, fieldSelector } = options;
  const selected = queryString({ labelSelector, fieldSelector, ...query });
  const path = collectionPath(kind, namespace) + selected;
  const headers = { accept, ...packed };
  const rows = options.table === true ? new TableRows(clock) : undefined;
  const stream = await client.stream({ method: "GET", path, headers, signal, timeout: TIMEOUT });
  try {
    return await readList(stream, {
      ...{ clock, turns, path, rows },
      silence: TIMEOUT,
      until: clock.monotonic() + TIMEOUT,
      onItem: (bytes, start, end) => {
        const object =
          rows === undefined ? scanObject(bytes, start, end) : rows.ofItem(bytes, start, end);
        if (object !== undefined) onObject(object);
      },
    });
  } finally {
    stream.close();
  }
}

/** Reads what the server holds, beside the watch. */

import type { Clock } from "../../base/index.ts";
import { type Client, collectionPath, type Kind, queryString } from "../../kube/index.ts";
import { ListSplitter, type ScannedObject, scanObject } from "../../watch/index.ts";
import { keyOf } from "../facts.ts";
import type { InformerOptions } from "./informer.ts";

/** Which objects, of whom, how long. */
export interface LiveRequest {
  readonly client: Client;
  readonly clock: Clock;
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

/** One object as the watch would tell it, undefined when there is none (or the selectors do not match), and the resourceVersion it was read at. */
export async function readLive(
  request: LiveRequest,
  { namespace, name }: { readonly namespace?: string; readonly name: string },
): Promise<{ readonly object: ScannedObject | undefined; readonly resourceVersion: string }> {
  const own = `metadata.name=${name}`;
  const { fieldSelector } = request.options;
  const narrowed = {
    namespace: namespace ?? request.options.namespace,
    fieldSelector: fieldSelector === undefined ? own : `${fieldSelector},${own}`,
  };
  const accept = request.options.metadataOnly === true ? METADATA : "application/json";
  let object: ScannedObject | undefined;
  const { resourceVersion } = await readPage(
    { ...request, options: { ...request.options, ...narrowed } },
    accept,
    {},
    ({ bytes, start, end }) => {
      const copy = Buffer.from(bytes.subarray(start, end));
      object = scanObject(copy, 0, copy.length);
    },
  );
  return { object, resourceVersion };
}

/** Objects go by as they come, so that a page of large ones holds nothing up. */
async function readPage(
  { client, clock, kind, options, signal }: LiveRequest,
  accept: string,
  query: Readonly<Record<string, string | number>>,
  onItem: (object: ScannedObject) => void,
): Promise<ListSplitter["metadata"]> {
  const { namespace, labelSelector, fieldSelector } = options;
  const selected = queryString({ labelSelector, fieldSelector, ...query });
  const path = collectionPath(kind, namespace) + selected;
  const headers = { accept };
  const stream = await client.stream({ method: "GET", path, headers, signal, timeout: TIMEOUT });
  const timer = clock.after(TIMEOUT, () => stream.close());
  const splitter = new ListSplitter();
  try {
    await stream.pipe((chunk) => {
      splitter.push(chunk);
      while (splitter.next()) {
        const object = scanObject(splitter.bytes, splitter.start, splitter.end);
        if (object !== undefined) onItem(object);
      }
    });
  } finally {
    timer.cancel();
  }
  if (!splitter.done) throw new SyntaxError(`list ${path}: ended in the middle`);
  return splitter.metadata;
}

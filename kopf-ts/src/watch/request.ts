/** The requests of lists and watches. Pure. */

import { collectionPath, type Kind, queryString, type SelectorOptions } from "../kube/index.ts";
import { tableRequest } from "./table.ts";
import { packed } from "./unpacked.ts";

/** What is listed and watched. */
export interface Target extends SelectorOptions {
  readonly kind: Kind;
  readonly metadataOnly: boolean;
  /** Objects are asked for as rows of tables. */
  readonly table: boolean;
}

/** What a request needs besides its method. */
export interface WatchRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A list that comes as events, followed by changes. `resourceVersion` is the oldest state that will do; empty asks for the newest. */
export function streamedList(
  target: Target,
  resourceVersion: string,
  timeout: number,
): WatchRequest {
  return request(target, "PartialObjectMetadata", {
    watch: 1,
    sendInitialEvents: true,
    resourceVersionMatch: "NotOlderThan",
    resourceVersion,
    allowWatchBookmarks: true,
    timeoutSeconds: Math.ceil(timeout / 1_000),
  });
}

/** Changes since `resourceVersion`. */
export function changes(target: Target, resourceVersion: string, timeout: number): WatchRequest {
  return request(target, "PartialObjectMetadata", {
    watch: 1,
    resourceVersion,
    allowWatchBookmarks: true,
    timeoutSeconds: Math.ceil(timeout / 1_000),
  });
}

/** One page of a list, or all of it without a limit; packed if the server likes. */
export function page(
  target: Target,
  query: {
    readonly resourceVersion: string;
    readonly limit: number | undefined;
    readonly next: string;
  },
): WatchRequest {
  const { limit, next } = query;
  const resourceVersion = next === "" ? query.resourceVersion : ""; // the token holds the version
  const asked = { limit, continue: next, resourceVersion };
  const { path, headers } = request(target, "PartialObjectMetadataList", asked);
  return { path, headers: { ...headers, ...packed } };
}

/** What the server has of `target`, by its metadata, and no more than one object: the newest state, or that of a resourceVersion. */
export function sample(target: Target, at?: string): WatchRequest {
  const past = at === undefined ? {} : { resourceVersion: at, resourceVersionMatch: "Exact" };
  const { path, headers } = request(
    { ...target, metadataOnly: true, table: false },
    "PartialObjectMetadataList",
    { limit: 1, ...past },
  );
  const { accept } = headers;
  return { path, headers: { ...packed, accept: `${accept},application/json` } };
}

function request(
  { kind, namespace, labelSelector, fieldSelector, metadataOnly, table }: Target,
  form: string,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
): WatchRequest {
  const plain = metadataOnly
    ? `application/json;as=${form};g=meta.k8s.io;v=v1`
    : "application/json";
  const { accept, ...more } = table ? tableRequest(plain, metadataOnly) : { accept: plain };
  const asked = { labelSelector, fieldSelector, ...query, ...more };
  return {
    path: collectionPath(kind, namespace) + queryString(asked),
    headers: { accept },
  };
}

/** What an API server serves: aggregated discovery, and the older form where that is missing. */

import { messageOf } from "../../base/index.ts";
import type { Client, RequestOptions } from "../client.ts";
import { isNotFound } from "../errors.ts";
import type { Kind } from "../kind.ts";
import { aggregatedKinds, isAggregated, legacyGroups, legacyKinds } from "./documents.ts";

/** A kind with what discovery says about it. */
export interface ServedKind extends Kind {
  /** What can be asked of it: get, list, watch, create, ... */
  readonly verbs: readonly string[];
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** `status`, `scale`, ... */
  readonly subresources: readonly string[];
  /** Whether its version is the one the server prefers for its group. */
  readonly preferred: boolean;
}

/** A group and version of which discovery could not tell, mostly because the aggregated API behind it is away. */
export interface DiscoveryFailure {
  readonly apiVersion: string;
  readonly message: string;
}

/** What a server serves now. Kinds of failed groups are missing, though they may well exist. */
export interface Discovery {
  readonly kinds: readonly ServedKind[];
  readonly failures: readonly DiscoveryFailure[];
}

const aggregated = [
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
  "application/json",
].join(",");

/** Asks for everything that is served: two requests, or one per group and version of servers before 1.27. */
export async function discover(client: Client, options: RequestOptions = {}): Promise<Discovery> {
  const roots = await Promise.all([
    discoverRoot(client, "/api", options),
    discoverRoot(client, "/apis", options),
  ]);
  return {
    kinds: roots.flatMap(({ kinds }) => kinds),
    failures: roots.flatMap(({ failures }) => failures),
  };
}

async function discoverRoot(
  client: Client,
  path: "/api" | "/apis",
  options: RequestOptions,
): Promise<Discovery> {
  const document = await getDocument(client, path, options, aggregated);
  if (document === undefined) return { kinds: [], failures: [] };
  if (isAggregated(document)) return aggregatedKinds(document);
  const versions = legacyGroups(document);
  const parts = await Promise.all(
    versions.map(({ apiVersion, preferred }) =>
      discoverVersion(client, apiVersion, preferred, options),
    ),
  );
  return {
    kinds: parts.flatMap(({ kinds }) => kinds),
    failures: parts.flatMap(({ failures }) => failures),
  };
}

async function discoverVersion(
  client: Client,
  apiVersion: string,
  preferred: boolean,
  options: RequestOptions,
): Promise<Discovery> {
  try {
    const kinds = (await kindsOfVersion(client, apiVersion, options)) ?? [];
    return { kinds: kinds.map((kind) => ({ ...kind, preferred })), failures: [] };
  } catch (thrown) {
    if (options.signal?.aborted) throw thrown;
    return { kinds: [], failures: [{ apiVersion, message: messageOf(thrown) }] };
  }
}

/** The kinds of one group and version, straight from who serves them; undefined when nobody does. */
export async function kindsOfVersion(
  client: Client,
  apiVersion: string,
  options: RequestOptions = {},
): Promise<readonly ServedKind[] | undefined> {
  const path = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const document = await getDocument(client, path, options, "application/json");
  return document === undefined ? undefined : legacyKinds(apiVersion, document);
}

async function getDocument(
  client: Client,
  path: string,
  options: RequestOptions,
  accept: string,
): Promise<unknown> {
  try {
    const { body } = await client.request({ ...options, method: "GET", path, headers: { accept } });
    return JSON.parse(body.toString("utf8"));
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined;
    throw thrown;
  }
}

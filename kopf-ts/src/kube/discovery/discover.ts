/** What an API server serves: aggregated discovery, and the older form where that is missing. */

import { messageOf } from "../../base/index.ts";
import type { Client, RequestOptions } from "../client.ts";
import { isNotFound } from "../errors.ts";
import type { Kind } from "../kind.ts";
import { parseAnswer } from "../parse.ts";
import { badRequest, plain } from "../paths.ts";
import { aggregatedKinds, isAggregated, legacyKinds, legacyVersions } from "./documents.ts";

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

/** What a server serves now. Kinds of failed groups may be missing though they exist. */
export interface Discovery {
  readonly kinds: readonly ServedKind[];
  readonly failures: readonly DiscoveryFailure[];
}

/** What one of the two roots of the API answered, to ask again only for changes. */
interface Root extends Discovery {
  readonly etag: string | undefined;
}

/** A discovery that can be repeated cheaply: an unchanged server answers 304 without a body. */
export interface RepeatableDiscovery extends Discovery {
  readonly roots: readonly [Root, Root];
}

const aggregatedForms = [
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
  "application/json",
].join(",");

/**
 * Asks for everything that is served: two requests, or one per group and version of servers before 1.27. An aggregated API
 * that is away is among the failures; the rest is still told.
 */
export async function discover(client: Client, options: RequestOptions = {}): Promise<Discovery> {
  const { kinds, failures } = await discoverAgain(client, undefined, options);
  return { kinds, failures };
}

/** As discover; what has not changed since `before` is not sent again. Returns `before` itself when nothing has. */
export async function discoverAgain(
  client: Client,
  before: RepeatableDiscovery | undefined,
  options: RequestOptions = {},
): Promise<RepeatableDiscovery> {
  const [core, groups] = await Promise.all([
    askRoot(client, "/api", before?.roots[0], options),
    askRoot(client, "/apis", before?.roots[1], options),
  ]);
  if (before !== undefined && core === before.roots[0] && groups === before.roots[1]) return before;
  return {
    roots: [core, groups],
    kinds: [...core.kinds, ...groups.kinds],
    failures: [...core.failures, ...groups.failures],
  };
}

async function askRoot(
  client: Client,
  path: "/api" | "/apis",
  before: Root | undefined,
  options: RequestOptions,
): Promise<Root> {
  const known: Record<string, string> =
    before?.etag === undefined ? {} : { "if-none-match": before.etag };
  const answer = await ask(client, path, { accept: aggregatedForms, ...known }, options);
  if (answer === "unchanged" && before !== undefined) return before;
  if (answer === undefined || answer === "unchanged")
    return { kinds: [], failures: [], etag: undefined };
  if (isAggregated(answer.document)) {
    return { ...aggregatedKinds(answer.document), etag: answer.etag };
  }
  return { ...(await askVersions(client, answer.document, options)), etag: undefined };
}

/** The older form lists versions only; each must be asked for its kinds. */
async function askVersions(
  client: Client,
  document: unknown,
  options: RequestOptions,
): Promise<Discovery> {
  const parts = await Promise.all(
    legacyVersions(document).map(async ({ apiVersion, preferred }): Promise<Discovery> => {
      try {
        const kinds = (await kindsOfVersion(client, apiVersion, options)) ?? [];
        return { kinds: kinds.map((kind) => ({ ...kind, preferred })), failures: [] };
      } catch (thrown) {
        if (options.signal?.aborted) throw thrown;
        return { kinds: [], failures: [{ apiVersion, message: messageOf(thrown) }] };
      }
    }),
  );
  return {
    kinds: parts.flatMap(({ kinds }) => kinds),
    failures: parts.flatMap(({ failures }) => failures),
  };
}

/** The kinds of one group and version, straight from who serves them; undefined when nobody does. */
export async function kindsOfVersion(
  client: Client,
  apiVersion: string,
  options: RequestOptions = {},
): Promise<readonly ServedKind[] | undefined> {
  const answer = await ask(
    client,
    versionPath(apiVersion),
    { accept: "application/json" },
    options,
  );
  if (answer === undefined || answer === "unchanged") return undefined;
  return legacyKinds(apiVersion, answer.document);
}

/** Where a group and version answers what it serves. Throws `BadRequest` for what is neither `v1` nor `group/v1`: it would lead elsewhere. */
export function versionPath(apiVersion: string): string {
  const [group = "", version, ...more] = apiVersion.split("/");
  if (version === undefined) return `/api/${plain(group, "apiVersion")}`;
  if (more.length > 0) throw badRequest(`${JSON.stringify(apiVersion)} is no apiVersion`);
  return `/apis/${plain(group, "group")}/${plain(version, "version")}`;
}

async function ask(
  client: Client,
  path: string,
  headers: Readonly<Record<string, string>>,
  options: RequestOptions,
): Promise<{ document: unknown; etag: string | undefined } | "unchanged" | undefined> {
  try {
    const answer = await client.request({ ...options, method: "GET", path, headers });
    if (answer.status === 304) return "unchanged";
    const { etag } = answer.headers;
    return {
      document: parseAnswer({ method: "GET", path }, client.server, answer.body),
      etag: typeof etag === "string" ? etag : undefined,
    };
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined;
    throw thrown;
  }
}

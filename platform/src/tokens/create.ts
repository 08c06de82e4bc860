/** Makes tokens. Values are only in what these functions return; what is stored, and shown of it, has none (but see feature token-hashing). */

import { randomUUID } from "node:crypto";
import { labels, type Principal, Token } from "@drover/crds";
import {
  apiVersionOf,
  type Client,
  isAlreadyExists,
  isConflict,
  type KubeObject,
  PermanentError,
} from "kopf-ts";
import type { FeatureName } from "../features/index.ts";
import type { LiveSettings } from "../settings/index.ts";
import { Confidential } from "./confidential.ts";
import { toTimestamp } from "./expiry.ts";
import { type ExtMetadata, extTokenSecret, sessionKind } from "./ext-token.ts";
import { hashKey } from "./hash.ts";
import { ttlLimits } from "./limits.ts";
import { readExtToken, readToken, type StoredToken } from "./stored.ts";
import { type SystemTokenInput, systemToken, withHashedKey } from "./token.ts";
import { clampTtl, toExtTtl } from "./ttl.ts";
import { formatTokenValue, generateKey, generateName } from "./value.ts";

/** What making a token needs. */
export interface TokenMaker {
  readonly client: Client;
  readonly settings: Pick<LiveSettings, "milliseconds">;
  /** liveFeatures. */
  readonly isOn: (feature: FeatureName) => boolean;
}

/** A token to make. */
export interface TokenRequest {
  readonly userId: string;
  /** `session`, `kubeconfig`, `agent`, ... */
  readonly kind: string;
  readonly principal: Principal;
  /** Name of the authentication provider. */
  readonly provider: string;
  readonly description?: string;
  /** Milliseconds; 0 (unless told) asks for the setting's standard, less for no end; cut to the setting's maximum. */
  readonly ttl?: number;
  /** The only cluster it is to be good for. */
  readonly clusterName?: string;
  /** What its name begins with; `token-` unless told. */
  readonly prefix?: string;
  /** Further labels and annotations, as `labels.kubeconfigId`. */
  readonly metadata?: ExtMetadata;
}

/** A token that was made. Showing or logging it shows no key; `value.reveal()` is for its owner, once. */
export interface NewToken {
  readonly token: StoredToken;
  /** As clients send it: `<name>:<key>`, or `ext/<name>:<key>`. */
  readonly value: Confidential;
}

/**
 * Makes a token of management.cattle.io/v3. Stores the hash of its key if feature token-hashing is on, else the key itself as Rancher does.
 * Rejects with a PermanentError for a ttl that is no whole number, else with the ApiError of the server.
 */
export async function createToken(
  request: TokenRequest,
  { client, settings, isOn }: TokenMaker,
): Promise<NewToken> {
  const ttl = clampTtl(request.ttl ?? 0, ttlLimits(request.kind, settings));
  const key = generateKey();
  const draft = { ...tokenOf(request), ttl, token: key.reveal() };
  const ready = isOn("token-hashing") ? withHashedKey(draft) : draft;
  const created = await createNamed(ready, request, client);
  return issued(readToken(created), key);
}

/**
 * Makes a token of ext.cattle.io, which is a Secret in namespace cattle-tokens. Always stores the hash (SHA3-512) of its key. Rejects as
 * createToken; with a 404 while the namespace is not there.
 */
export async function createExtToken(
  request: TokenRequest,
  { client, settings, now }: Pick<TokenMaker, "client" | "settings"> & { readonly now: number },
): Promise<NewToken> {
  const { userId, kind, provider, description = "", clusterName = "", metadata } = request;
  const ttl = toExtTtl(clampTtl(request.ttl ?? 0, ttlLimits(kind, settings)));
  const key = generateKey();
  const { metadata: { name: id = "" } = {}, ...principal } = request.principal;
  const token = {
    ...{ name: "", uid: randomUUID(), userId, kind, description, clusterName, enabled: true, ttl },
    principal: { ...principal, name: id, provider },
    hash: new Confidential(hashKey(key.reveal())),
    lastUpdateTime: toTimestamp(now),
  };
  const created = await createNamed(extTokenSecret(token, metadata), request, client);
  return issued(readExtToken(created), key);
}

/** What a derived token may be told; user, principal and provider are its parent's. */
export type DerivedRequest = Partial<
  Pick<TokenRequest, "kind" | "description" | "ttl" | "clusterName" | "prefix" | "metadata">
>;

/**
 * The request for an API key or the like of whoever holds `parent`, for createToken or createExtToken. Throws a PermanentError when it asks for
 * more clusters than the parent is good for, or for a session.
 */
export function derivedFrom(parent: StoredToken, request: DerivedRequest): TokenRequest {
  const { userId, principal, provider, clusterName: scope } = parent;
  const { kind = "", clusterName = scope } = request;
  if (kind === sessionKind) throw new PermanentError("a session cannot be derived from a token");
  if (scope !== "" && clusterName !== scope) {
    throw new PermanentError(`the token is for cluster ${scope} and cannot make one for another`);
  }
  return { ...request, kind, clusterName, userId, principal: principal ?? {}, provider };
}

/** What a system token is to be; its key is made here. */
export interface SystemTokenRequest extends Omit<SystemTokenInput, "key"> {
  /** Adds five characters to the name, so that each call makes another; otherwise there is only ever one. */
  readonly randomize?: boolean;
}

/** Deletes and creations of one name, when several callers want it at once. */
const attempts = 5;

/**
 * Makes a token for the system's own use, an hour to live unless told (0: for ever). A token of that name is replaced, since nobody can tell its
 * key any more; so the value of the last caller is the one that counts (rancher: pkg/systemtokens, EnsureSystemToken). Throws a
 * PermanentError for a name that begins with `token-`.
 */
export async function ensureSystemToken(
  { randomize = false, ...input }: SystemTokenRequest,
  { client, isOn }: Pick<TokenMaker, "client" | "isOn">,
): Promise<NewToken> {
  const key = generateKey();
  const draft = systemToken({ ...input, key });
  const ready = isOn("token-hashing") ? withHashedKey(draft) : draft;
  const created = randomize
    ? await createNamed(ready, { prefix: input.name }, client)
    : await replace(ready, client);
  return issued(readToken(created), key);
}

/** The delete carries the uid, so it cannot take what another caller made meanwhile: that one is looked up anew. */
async function replace(token: Token, client: Client): Promise<Token> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const found = await client.find(Token, token.metadata.name);
      if (found !== undefined) await client.delete(found, { preconditions: "uid" });
      return await client.create(token);
    } catch (error) {
      const isRace = isAlreadyExists(error) || isConflict(error);
      if (!isRace || attempt === attempts) throw error;
    }
  }
}

/** Names are chosen here and not by the server, so that a create whose answer was lost is never carried out twice under two names. */
async function createNamed<T extends KubeObject>(
  object: T,
  { prefix = "token-" }: Pick<TokenRequest, "prefix">,
  client: Client,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const metadata = { ...object.metadata, name: generateName(prefix) };
      return await client.create({ ...object, metadata });
    } catch (error) {
      if (!isAlreadyExists(error) || attempt === attempts) throw error;
    }
  }
}

function tokenOf({
  kind,
  userId,
  provider,
  principal,
  description = "",
  clusterName = "",
  metadata,
}: TokenRequest): Token {
  const own = { [labels.tokenUserId]: userId, ...(kind && { [labels.tokenKind]: kind }) };
  return {
    apiVersion: apiVersionOf(Token),
    kind: Token.kind,
    metadata: { ...metadata, name: "", labels: { ...metadata?.labels, ...own } },
    userId,
    userPrincipal: principal,
    authProvider: provider,
    description,
    isDerived: kind !== sessionKind,
    ...(clusterName && { clusterName }),
  };
}

/** What the server stored is read back, so that nobody is handed a value that no reader would accept. */
function issued(token: StoredToken | undefined, key: Confidential): NewToken {
  if (token === undefined) throw new Error("the server stored a token that cannot be read");
  const { store, name } = token;
  return { token, value: new Confidential(formatTokenValue({ store, name, key })) };
}

/** Which cluster a registration token lets in. Pure. */

import { createHash, timingSafeEqual } from "node:crypto";
import { type ClusterRegistrationToken, registrationTokenNames } from "@drover/crds";
import type { Cache } from "kopf-ts";
import type { Secret } from "kopf-ts/kinds";
import type { CacheIndex } from "../users/index.ts";
import { longestValue, readRegistrationValues, registrationOwner } from "./values.ts";

/** Finds Secrets of registration tokens by a hash of each of their values, so that no value is a key anywhere. */
export const registrationSecrets: CacheIndex<Secret> = {
  name: "registration-value",
  of: (secret) => {
    if (registrationOwner(secret) === undefined) return [];
    const values = readRegistrationValues(secret);
    return [values?.token, values?.previous?.token].flatMap((value) =>
      value === undefined ? [] : [digest(value.reveal()).toString("hex")],
    );
  },
};

/** Where registrationOf looks. */
export interface RegistrationSources {
  /** With the index `registrationSecrets`. */
  readonly secrets: Pick<Cache<Secret>, "byIndex">;
  readonly tokens: Pick<Cache<ClusterRegistrationToken>, "get">;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Whom a value stands for. */
export interface Registration {
  /** The cluster: the namespace of the token. */
  readonly cluster: string;
  /** Name of the ClusterRegistrationToken. */
  readonly token: string;
  /** When the value ends, where it was replaced already. */
  readonly until?: number;
}

/**
 * The cluster that a value authenticates: by the token of today, or by the one before within its grace. A Secret counts only with an owner reference to
 * a ClusterRegistrationToken that exists, is not being deleted and names the Secret in its status, so nobody who may merely create Secrets can let anyone in.
 *
 * Two Secrets with one value (somebody copied it) let into the cluster of the older one. Values are compared in constant time.
 */
export function registrationOf(
  value: string,
  { secrets, tokens, now }: RegistrationSources,
): Registration | undefined {
  if (value === "" || value.length > longestValue) return undefined;
  const hash = digest(value);
  const found = secrets.byIndex(registrationSecrets.name, hash.toString("hex"));
  return found
    .toSorted(byAge)
    .flatMap((secret) => judge(secret, hash, { tokens, now }) ?? [])
    .at(0);
}

function judge(
  secret: Secret,
  hash: Buffer,
  { tokens, now }: Pick<RegistrationSources, "tokens" | "now">,
): Registration | undefined {
  const token = tokenOf(secret, tokens);
  const values = readRegistrationValues(secret);
  if (token === undefined || values === undefined) return undefined;
  const { name, namespace: cluster = "" } = token.metadata;
  if (isEqual(values.token.reveal(), hash)) return { cluster, token: name };
  const { previous } = values;
  if (previous === undefined || !isEqual(previous.token.reveal(), hash)) return undefined;
  return now < previous.expiresAt ? { cluster, token: name, until: previous.expiresAt } : undefined;
}

/** The token whose Secret this is, as both of them say. */
function tokenOf(
  secret: Secret,
  tokens: RegistrationSources["tokens"],
): ClusterRegistrationToken | undefined {
  const owner = registrationOwner(secret);
  const { name, namespace, deletionTimestamp } = secret.metadata;
  if (owner === undefined || namespace === undefined || deletionTimestamp !== undefined) return;
  if (name !== registrationTokenNames.secret(owner.name)) return undefined;
  const token = tokens.get(`${namespace}/${owner.name}`);
  const isNamed = token?.status?.tokenSecretName === name && token.metadata.uid === owner.uid;
  return isNamed && token.metadata.deletionTimestamp === undefined ? token : undefined;
}

function isEqual(text: string, hash: Buffer): boolean {
  return timingSafeEqual(digest(text), hash);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function byAge({ metadata: a }: Secret, { metadata: b }: Secret): number {
  const key = ({ creationTimestamp = "", namespace, name }: typeof a): string =>
    `${creationTimestamp} ${namespace}/${name}`;
  return key(a) < key(b) ? -1 : 1;
}

/** Tokens for tests of this folder. */

import type { Token } from "@drover/crds";
import { aToken } from "@drover/crds/testing";
import type { Secret } from "kopf-ts/kinds";
import { Confidential } from "../confidential.ts";
import { type ExtToken, extTokenSecret } from "../ext-token.ts";
import { hashKey } from "../hash.ts";
import { readToken, type StoredToken } from "../stored.ts";

/** A key of Rancher's form. */
export const key: string = "d".repeat(54);
/** When the samples were created. */
export const start: number = Date.parse("2026-01-01T00:00:00Z");
export const hour = 3_600_000;

/** A login session of an hour, as stored by the server. */
export function aSession(fields: Partial<Token> = {}): StoredToken {
  const { metadata, ...others } = fields;
  const own = { name: "token-abcde", uid: "uid-1", creationTimestamp: "2026-01-01T00:00:00Z" };
  const token = aToken({ ttl: hour, token: key, ...others, metadata: { ...own, ...metadata } });
  const stored = readToken(token);
  if (stored === undefined) throw new Error("the sample cannot be read");
  return stored;
}

/** A kubeconfig's token of ext.cattle.io. */
export function anExtToken(fields: Partial<ExtToken> = {}): ExtToken {
  return {
    name: "token-abcde",
    uid: "7d0c2f7e-8a4f-4b0c-a9f0-2f1f5c1b8f10",
    userId: "user-ada",
    principal: { name: "local://user-ada", provider: "local", displayName: "Ada" },
    kind: "kubeconfig",
    clusterName: "c-abcde",
    description: "mine",
    enabled: true,
    ttl: hour,
    hash: new Confidential(hashKey(key)),
    lastUpdateTime: "2026-01-01T00:00:00Z",
    lastUsedAt: undefined,
    lastActivitySeen: undefined,
    ...fields,
  };
}

/** Its Secret, as stored by the server. */
export function anExtSecret(fields: Partial<ExtToken> = {}): Secret {
  const secret = extTokenSecret(anExtToken(fields));
  const stored = { uid: "uid-2", creationTimestamp: "2026-01-01T00:00:00Z" };
  return { ...secret, metadata: { ...secret.metadata, ...stored } };
}

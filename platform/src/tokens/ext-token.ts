/** Tokens of ext.cattle.io as typed values, and the Secrets that store them. */

import { labels, type Principal } from "@drover/crds";
import { apiVersionOf } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { Confidential } from "./confidential.ts";
import { extTokenExpiry, fromTimestamp, toTimestamp } from "./expiry.ts";
import { extData, extKeys, extText, extTokenNamespace, isExtToken } from "./ext-secret.ts";
import { shrinkTtl, type TtlLimits, toExtTtl } from "./ttl.ts";

/** What an ext token says. Times are milliseconds since the epoch. */
export interface ExtToken {
  readonly name: string;
  /** Of the token; its Secret has another. */
  readonly uid: string;
  readonly userId: string;
  readonly principal: ExtPrincipal;
  /** `session` for logins; anything else is derived. */
  readonly kind: string;
  /** The only cluster it is good for; empty for all. */
  readonly clusterName: string;
  readonly description: string;
  readonly enabled: boolean;
  /** Milliseconds from creation; less than 0 never ends. */
  readonly ttl: number;
  readonly hash: Confidential;
  readonly lastUpdateTime: string;
  readonly lastUsedAt?: number | undefined;
  readonly lastActivitySeen?: number | undefined;
}

/** A principal as ext.cattle.io writes it: its id is `name`, and no metadata. */
export interface ExtPrincipal extends Omit<Principal, "metadata"> {
  readonly name: string;
  readonly provider: string;
}

/** The kind of login sessions. */
export const sessionKind = "session";

/** The token in a Secret; undefined for a Secret that stores none, or one that Rancher would not read either. Never throws. */
export function parseExtToken(secret: Secret): ExtToken | undefined {
  const text = (key: keyof typeof extKeys): string => extText(secret, extKeys[key]);
  const principal = parsePrincipal(text("principal"));
  const required = [text("kubeUid"), text("userId"), text("hash"), text("lastUpdateTime")];
  if (!isExtToken(secret) || principal === undefined || required.includes("")) return undefined;
  if (!["true", "false"].includes(text("enabled")) || !isReadable(secret)) return undefined;
  return {
    name: secret.metadata.name,
    uid: text("kubeUid"),
    userId: text("userId"),
    principal,
    kind: text("kind"),
    clusterName: text("cluster"),
    description: text("description"),
    enabled: text("enabled") === "true",
    ttl: Number(text("ttl")),
    hash: new Confidential(text("hash")),
    lastUpdateTime: text("lastUpdateTime"),
    lastUsedAt: fromTimestamp(text("lastUsedAt")),
    lastActivitySeen: fromTimestamp(text("lastActivitySeen")),
  };
}

/** The Secret that stores the token. */
export function extTokenSecret(token: ExtToken, more: ExtMetadata = {}): Secret {
  const { name, userId, kind, principal, hash } = token;
  const own = {
    [labels.extKind]: "token",
    [labels.extUserId]: userId,
    [labels.tokenKind]: kind,
  };
  return {
    apiVersion: apiVersionOf(Secret),
    kind: Secret.kind,
    metadata: {
      ...more,
      name,
      namespace: extTokenNamespace,
      labels: { ...more.labels, ...own },
    },
    type: "Opaque",
    data: extData({
      [extKeys.cluster]: token.clusterName,
      [extKeys.description]: token.description,
      [extKeys.enabled]: String(token.enabled),
      [extKeys.hash]: hash.reveal(),
      [extKeys.kind]: kind,
      [extKeys.kubeUid]: token.uid,
      [extKeys.lastActivitySeen]: timeText(token.lastActivitySeen),
      [extKeys.lastUpdateTime]: token.lastUpdateTime,
      [extKeys.lastUsedAt]: timeText(token.lastUsedAt),
      [extKeys.principal]: JSON.stringify(principal),
      [extKeys.ttl]: String(token.ttl),
      [extKeys.userId]: userId,
    }),
  };
}

/** What a caller may set besides what the token says. */
export interface ExtMetadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What an update may change. */
export interface ExtTokenChange {
  readonly description?: string;
  readonly enabled?: boolean;
  /** Milliseconds, 0 for the standard; asks for more than there is are passed over. */
  readonly ttl?: number;
}

/** Circumstances of an update. */
export interface ExtUpdate {
  readonly limits: TtlLimits;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The token as a change leaves it; the same object if it changes nothing. Its time to live only ever shrinks. */
export function changeExtToken(
  token: ExtToken,
  { description = token.description, enabled = token.enabled, ttl }: ExtTokenChange,
  { limits, now }: ExtUpdate,
): ExtToken {
  const left = ttl === undefined ? token.ttl : shrunk(token.ttl, ttl, limits);
  const same = description === token.description && enabled === token.enabled && left === token.ttl;
  if (same) return token;
  return { ...token, description, enabled, ttl: left, lastUpdateTime: toTimestamp(now) };
}

/** A time to live of 0 is over at once, and stays so. */
function shrunk(current: number, requested: number, limits: TtlLimits): number {
  return current === 0 ? 0 : toExtTtl(shrinkTtl(current, requested, limits));
}

function timeText(time: number | undefined): string {
  return time === undefined ? "" : toTimestamp(time);
}

/** Whether its end can be told. */
function isReadable(secret: Secret): boolean {
  try {
    extTokenExpiry(secret);
    return true;
  } catch {
    return false;
  }
}

function parsePrincipal(text: string): ExtPrincipal | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== "object" || parsed === null) return undefined;
    const { name, provider } = parsed as { name?: unknown; provider?: unknown }; // any object may be read so
    if (typeof name !== "string" || name === "") return undefined;
    if (typeof provider !== "string" || provider === "") return undefined;
    return { ...parsed, name, provider };
  } catch {
    return undefined;
  }
}

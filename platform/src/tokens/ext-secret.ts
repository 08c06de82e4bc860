/** How a Secret stores a token of ext.cattle.io (rancher: pkg/ext/stores/tokens/tokens.go). */

import { labels } from "@drover/crds";
import type { Secret } from "kopf-ts/kinds";

/** Namespace of these Secrets, and of the ConfigMaps of kubeconfigs. */
export const extTokenNamespace = "cattle-tokens";

/** Narrows a watch of Secrets to ext tokens. */
export const extTokenSelector: { readonly namespace: string; readonly labelSelector: string } = {
  namespace: extTokenNamespace,
  labelSelector: `${labels.extKind}=token`,
};

/** Keys of `data`. All are there in what Rancher writes, also those without a value. */
export const extKeys = {
  cluster: "cluster",
  description: "description",
  enabled: "enabled",
  hash: "hash",
  kind: "kind",
  kubeUid: "kube-uid",
  lastActivitySeen: "last-activity-seen",
  lastUpdateTime: "last-update-time",
  lastUsedAt: "last-used-at",
  principal: "principal",
  ttl: "ttl",
  userId: "user-id",
} as const;

/** A key of `data`. */
export type ExtKey = (typeof extKeys)[keyof typeof extKeys];

/** Whether the Secret stores an ext token at all. */
export function isExtToken({ metadata }: Secret): boolean {
  return metadata.namespace === extTokenNamespace && metadata.labels?.[labels.extKind] === "token";
}

/** A value as text; empty if there is none. */
export function extText({ data }: Secret, key: ExtKey): string {
  const value: unknown = data?.[key];
  return typeof value === "string" ? Buffer.from(value, "base64").toString("utf8") : "";
}

/** Texts as `data` has them. */
export function extData(texts: Readonly<Partial<Record<ExtKey, string>>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
  );
}

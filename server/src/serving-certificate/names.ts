import { systemNamespace } from "@drover/crds";
import { type Lifetimes, type SecretName, usualLifetimes } from "kopf-ts/certificates";

/** Rancher's Secrets (rancher: pkg/tls; dynamiclistener): an installation that changes over keeps the authority that its agents trust. */
export const secrets: Readonly<Record<"authority" | "serving", SecretName>> = {
  authority: { namespace: systemNamespace, name: "tls-rancher" },
  serving: { namespace: systemNamespace, name: "serving-cert" },
};

/** The setting that shows clients whom to trust. */
export const cacerts = "cacerts";

/** Agents are rolled out anew when the setting changes, and people fetch kubeconfigs: both get a day before a new authority is used. */
export const lifetimes: Lifetimes = { ...usualLifetimes, settle: 24 * 3_600_000 };

const local: readonly string[] = ["localhost", "127.0.0.1", "::1"];
/** Of the Service in front of the replicas. */
const service: readonly string[] = ["", ".svc"].map((end) => `rancher.${systemNamespace}${end}`);

/** What a serving certificate is for: this machine, the Service, the address that is bound unless that is every one, and the host of server-url. */
export function servedNames(bindHost: string, serverUrl: string): readonly string[] {
  const bound = ["0.0.0.0", "::", ""].includes(bindHost) ? [] : [bindHost];
  const host = URL.parse(serverUrl)?.hostname.replace(/^\[|\]$/g, "") ?? "";
  return [...new Set([...local, ...service, ...bound, ...(host === "" ? [] : [host])])];
}

/** How the webhooks are served, and how the API server reaches them. */

import { systemNamespace } from "@drover/crds";
import { notOurselves } from "@drover/operators";
import type { Environment } from "@drover/platform";
import type { AdmissionOptions, AnyWebhook } from "kopf-ts/admission";
import { isLoopback, type ServerOptions } from "./options.ts";

/** What decides where the API server finds the webhooks. */
export interface WebhookPlace {
  readonly webhooks: readonly AnyWebhook[];
  readonly env: Environment;
  /** URL of the API server. */
  readonly server: string;
  /** The configurations shall go when this process stops, because nobody answers then. */
  readonly removeOnStop?: boolean | undefined;
}

/** The Service in front of the replicas (webhook: docs.md); its port 443 leads to theirs. */
const service = { namespace: systemNamespace, name: "rancher-webhook", port: 443 };

/** Undefined when the API server could not reach this process, as far as one can tell: then nothing that people apply would be stored. Throws where the API has their port. */
export function admissionOf(
  options: ServerOptions,
  { webhooks, env, server, removeOnStop = false }: WebhookPlace,
): AdmissionOptions | undefined {
  const { bindHost, webhookListenPort, webhookUrl } = options;
  const clientConfig = clientConfigOf(webhookUrl, env, server);
  if (clientConfig === undefined) return undefined;
  checkPort(options);
  return {
    name: "rancher.cattle.io",
    webhooks,
    pathPrefix: "/v1/webhook",
    host: bindHost,
    port: webhookListenPort,
    clientConfig,
    secrets: {
      namespace: service.namespace,
      authority: "cattle-webhook-ca",
      serving: "cattle-webhook-tls",
    },
    matchConditions: [notOurselves],
    removeOnStop,
  };
}

function checkPort({
  httpsListenPort,
  httpListenPort,
  webhookListenPort: port,
}: ServerOptions): void {
  const others = { "--https-listen-port": httpsListenPort, "--http-listen-port": httpListenPort };
  for (const [option, other] of Object.entries(others)) {
    if (port === 0 || port !== other) continue;
    const message = `${option} and --webhook-listen-port are both ${port}`;
    throw new Error(`${message}: give one of them another port`);
  }
}

/** What was said, the Service for the cluster that this Pod is in, this machine when the API server is on it too. */
function clientConfigOf(
  url: string | undefined,
  env: Environment,
  server: string,
): AdmissionOptions["clientConfig"] | undefined {
  if (url !== undefined) return { url };
  const host = new URL(server).hostname.replace(/^\[|\]$/g, "");
  if (isOwnCluster(host, env)) return { service };
  return isLoopback(host) ? (port) => ({ url: `https://127.0.0.1:${port}` }) : undefined;
}

/** A Pod may also serve another cluster, by a kubeconfig: that one does not know the Service. */
function isOwnCluster(host: string, { KUBERNETES_SERVICE_HOST: own }: Environment): boolean {
  if (own === undefined || own === "") return false;
  return host === own || /^kubernetes\.default(\.svc(\..*)?)?$/.test(host);
}

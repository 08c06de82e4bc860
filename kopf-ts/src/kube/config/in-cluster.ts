/** The configuration every Pod has. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClusterConfig } from "./cluster-config.ts";
import { ConfigError, fileFault } from "./config-error.ts";

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the kubelet puts a Pod's service account. */
const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Whether we run in a Pod, as far as the environment tells. */
export function isInCluster(env: Environment): boolean {
  return !!env.KUBERNETES_SERVICE_HOST && !!env.KUBERNETES_SERVICE_PORT;
}

/** The Pod's own cluster and service account; its token is read again as the kubelet renews it. Throws ConfigError. */
export async function inClusterConfig(
  env: Environment,
  folder: string = SERVICE_ACCOUNT,
): Promise<ClusterConfig> {
  const host = env.KUBERNETES_SERVICE_HOST ?? "";
  const port = env.KUBERNETES_SERVICE_PORT ?? "";
  const credentials = async (): Promise<{ ca: string; token: string }> => {
    const [ca, token] = await Promise.all([read(folder, "ca.crt"), read(folder, "token")]);
    return { ca, token: token.trim() };
  };
  await credentials(); // a Pod without a token is told now, not at the first request
  const namespace = await read(folder, "namespace").catch(() => undefined);
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    context: "in-cluster",
    namespace: namespace?.trim(),
    credentials,
  };
}

/** The text of a file, which is never empty: without `ca.crt` we would trust the machine's authorities, without `token` be nobody. */
async function read(folder: string, name: string): Promise<string> {
  const path = join(folder, name);
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw unusable(path, fileFault(cause));
  });
  if (text.trim() === "") throw unusable(path, "it is empty");
  return text;
}

function unusable(path: string, fault: string): ConfigError {
  return new ConfigError(
    `this is a Pod, but its service account cannot be used: ${path}: ${fault}; set automountServiceAccountToken: true or give a kubeconfig`,
  );
}

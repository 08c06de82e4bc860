/** Reads a kubeconfig that came from somebody else: nothing in it may make the server read files, run programs or trust just anybody. */

import { createHash } from "node:crypto";
import { dataNamespace } from "@drover/crds";
import { type ClusterConfig, ConfigError, type Credentials, loadConfig } from "kopf-ts";
import type { Secret } from "kopf-ts/kinds";
import { kubeconfigKey } from "./names.ts";

/** Bytes of a kubeconfig: YAML that is much longer takes longer to read than anybody may hold up the others. */
const longest = 64 << 10;

/** A kubeconfig that can be followed. */
export interface Kubeconfig {
  readonly config: ClusterConfig;
  /** PEM. */
  readonly ca: string;
  /** Of its text. */
  readonly hash: string;
}

/** Why a kubeconfig is not followed, in a sentence that says what to do. */
export class RefusedKubeconfig extends Error {
  override readonly name = "RefusedKubeconfig";
}

/** The kubeconfig in a Secret. Throws RefusedKubeconfig. */
export async function readKubeconfig(secret: Secret): Promise<Kubeconfig> {
  const where = `Secret ${dataNamespace}/${secret.metadata.name}`;
  const bytes = Buffer.from(secret.data?.[kubeconfigKey] ?? "", "base64");
  if (bytes.length > longest) {
    throw new RefusedKubeconfig(
      `the kubeconfig in ${where} is longer than ${longest >> 10} KiB; keep the one context that is meant`,
    );
  }
  const text = bytes.toString();
  if (text.trim() === "") {
    throw new RefusedKubeconfig(`${where} has no kubeconfig under key ${kubeconfigKey}`);
  }
  const { config, credentials } = await parse(text, where);
  const problem = problemOf(config, credentials);
  if (problem !== undefined) throw new RefusedKubeconfig(`the kubeconfig in ${where} ${problem}`);
  const hash = createHash("sha256").update(text).digest("hex");
  return { config, ca: credentials.ca ?? "", hash };
}

async function parse(
  text: string,
  where: string,
): Promise<{ readonly config: ClusterConfig; readonly credentials: Credentials }> {
  try {
    const config = await loadConfig({ text });
    const { credentials = {} } = config;
    const read =
      typeof credentials === "function" ? await credentials({ force: false }) : credentials;
    return { config, credentials: read };
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    const message = cause.message
      .replaceAll("the kubeconfig given as text", `the kubeconfig in ${where}`)
      .replace(
        "a kubeconfig given as text may only carry its data within, unless it is trusted",
        "it has to carry certificates, key or token within",
      );
    throw new RefusedKubeconfig(message, { cause });
  }
}

/** What of it could not be followed once the cluster is reached by status.apiEndpoint, caCert and a token. */
function problemOf(config: ClusterConfig, credentials: Credentials): string | undefined {
  if (!config.server.startsWith("https://")) return "has a server without https";
  if (!isPlain(config.server)) {
    return "has a server with user, query or fragment, which everybody who sees the Cluster would read; give it a plain address";
  }
  if (config.insecureSkipTlsVerify === true) {
    return "sets insecure-skip-tls-verify; give it certificate-authority-data instead";
  }
  if (credentials.ca === undefined) {
    return "has no certificate-authority-data, without which nobody knows who answers";
  }
  if (config.tlsServerName !== undefined) return "sets tls-server-name, which cannot be followed";
  if (config.proxyUrl !== undefined) return "sets proxy-url, which cannot be followed";
  const { token, cert, username } = credentials;
  if (token || cert || username) return undefined;
  return "has neither a token nor a client certificate";
}

/** Status.apiEndpoint is no place for what proves who we are. */
function isPlain(server: string): boolean {
  const { username, password, search, hash } = new URL(server);
  return `${username}${password}${search}${hash}` === "";
}

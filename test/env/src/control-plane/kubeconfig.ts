// Kubeconfig files: one cluster, one user, one context, everything inline.
import type { KeyPair } from "./pki.ts";

/** How the kubeconfig's user proves who it is. */
export type Credentials = KeyPair | { readonly token: string };

/** What a kubeconfig says. */
export interface KubeconfigContent {
  /** Name of cluster, user and context. */
  readonly name: string;
  readonly server: string;
  /** PEM certificate of the authority the server's certificate comes from. */
  readonly ca: string;
  readonly credentials: Credentials;
}

/** The kubeconfig as YAML text. */
export function kubeconfigYaml({ name, server, ca, credentials }: KubeconfigContent): string {
  const quoted = JSON.stringify(name); // a JSON string is a YAML string
  const user =
    "token" in credentials
      ? [`    token: ${JSON.stringify(credentials.token)}`]
      : [
          `    client-certificate-data: ${base64(credentials.cert)}`,
          `    client-key-data: ${base64(credentials.key)}`,
        ];
  return [
    "apiVersion: v1",
    "kind: Config",
    `current-context: ${quoted}`,
    "clusters:",
    `- name: ${quoted}`,
    "  cluster:",
    `    server: ${server}`,
    `    certificate-authority-data: ${base64(ca)}`,
    "contexts:",
    `- name: ${quoted}`,
    "  context:",
    `    cluster: ${quoted}`,
    `    user: ${quoted}`,
    "users:",
    `- name: ${quoted}`,
    "  user:",
    ...user,
    "",
  ].join("\n");
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

import type { Impersonation } from "../client.ts";
import type { CredentialSource, Credentials } from "./credentials.ts";

/**
 * Where an API server is and how to prove who we are. `loadConfig` makes one from kubeconfigs; written by hand it may be as short as
 * `{ server, credentials: { ca, token } }`.
 */
export interface ClusterConfig {
  /** `https://host:port`, also with a path below which the API lies; plain http is allowed. */
  readonly server: string;
  /** What `loadConfig` gives is a function, so printing a config shows no secret. */
  readonly credentials?: Credentials | CredentialSource | undefined;
  /** Host name the server's certificate must carry, when it is not the one in `server`. */
  readonly tlsServerName?: string | undefined;
  /** Trusts any certificate; for trials only. */
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** HTTP proxy through which connections go, `http://host:port`; a function where it holds a password. */
  readonly proxyUrl?: string | (() => string) | undefined;
  /** Who all requests are made for. */
  readonly impersonate?: Impersonation | undefined;
  /** Namespace that the kubeconfig's context or the Pod names; the client does not use it by itself. */
  readonly namespace?: string | undefined;
  /** Name of the kubeconfig's context, or `in-cluster`; for messages. */
  readonly context?: string | undefined;
  /** What the kubeconfig calls the cluster; for messages. */
  readonly cluster?: string | undefined;
  /** What the kubeconfig calls us; for messages. */
  readonly user?: string | undefined;
}

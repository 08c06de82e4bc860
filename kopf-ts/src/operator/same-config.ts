import { isDeepStrictEqual } from "node:util";
import type { ClusterConfig, Credentials } from "../kube/index.ts";

/** How closely configs are compared. */
export interface Comparison {
  /** Whether who we are counts as well; else only where the server is and how it is known. */
  readonly identity: boolean;
}

/**
 * Whether a config says the same as a former one, as far as one can see: sources make a new config at each call, with credentials in a function.
 * Rejects when the credentials of `config` cannot be read; those of the former may be gone.
 */
export async function isSameConfig(
  former: ClusterConfig,
  config: ClusterConfig,
  { identity }: Comparison,
): Promise<boolean> {
  if (former === config) return true;
  if (!isDeepStrictEqual(placeOf(former), placeOf(config))) return false;
  if (former.credentials === config.credentials) return true;
  const now = await credentialsOf(config);
  const before = await credentialsOf(former).catch((): Credentials => ({}));
  if (!identity) return before.ca === now.ca;
  return isDeepStrictEqual(proofOf(before), proofOf(now));
}

function placeOf(config: ClusterConfig): readonly unknown[] {
  const { server, tlsServerName, insecureSkipTlsVerify = false, proxyUrl, impersonate } = config;
  const proxy = typeof proxyUrl === "function" ? proxyUrl() : proxyUrl;
  return [server, tlsServerName, insecureSkipTlsVerify, proxy, impersonate];
}

async function credentialsOf({ credentials = {} }: ClusterConfig): Promise<Credentials> {
  return typeof credentials === "function" ? credentials({ force: false }) : credentials;
}

function proofOf({ ca, cert, key, token, username, password }: Credentials): readonly unknown[] {
  return [ca, cert, key, token, username, password];
}

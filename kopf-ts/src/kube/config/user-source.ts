/** The credentials of a kubeconfig's user, read when they are needed. */

import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { ConfigError, fileFault } from "./config-error.ts";
import type { CredentialSource, Credentials } from "./credentials.ts";
import type { ClusterEntry, UserEntry } from "./entries.ts";
import { execSource } from "./exec.ts";
import { pairFault } from "./key-pair.ts";
import type { Placed } from "./kubeconfig.ts";
import type { Selection } from "./select.ts";

/** Reads PEM text or a token; the result never appears in messages. */
type Reader = () => Promise<string | undefined>;

/**
 * A source for the selection's user and cluster. What lies in the kubeconfig is checked here, files at each reading. Without `trusted`,
 * entries that name files or programs are refused: such a kubeconfig came from somebody else. Throws ConfigError.
 */
export function userSource(selection: Selection, trusted: boolean): CredentialSource {
  const { cluster, clusterName, user, userName } = selection;
  const { entry } = user;
  if (!trusted) refuseForeign(selection);
  const ofCluster = `cluster ${JSON.stringify(clusterName)}`;
  const ofUser = `user ${JSON.stringify(userName)}`;
  const ca = pemReader(cluster, "certificate-authority", ofCluster);
  const cert = pemReader(user, "client-certificate", ofUser);
  const key = pemReader(user, "client-key", ofUser);
  const token = tokenReader(user, ofUser);
  const plugin = pluginOf(selection, ca);
  const basic = { username: entry.username, password: entry.password };
  checkData(user, ofUser);

  const read: CredentialSource = async () => {
    const [caText, certText, keyText, tokenText] = await Promise.all([
      ca(),
      cert(),
      key(),
      token(),
    ]);
    checkPair(user, ofUser, certText, keyText);
    return { ca: caText, cert: certText, key: keyText, token: tokenText, ...basic };
  };
  if (plugin === undefined) return read;
  return async (options) => {
    const [own, given] = await Promise.all([read(options), plugin(options)]);
    return { ...own, ...defined(given) };
  };
}

function pluginOf(selection: Selection, ca: Reader): CredentialSource | undefined {
  const { exec, "auth-provider": provider } = selection.user.entry;
  if (exec !== undefined) return execSource(exec, selection, ca);
  return provider === undefined ? undefined : providerSource(selection);
}

/** client-node is loaded at the first reading: it costs half a second and 120 MB. */
function providerSource(selection: Selection): CredentialSource {
  let source: Promise<CredentialSource> | undefined;
  return async (options) => {
    source ??= import("./plugin.ts").then(({ pluginSource }) => pluginSource(selection));
    return (await source)(options);
  };
}

function defined(credentials: Credentials): Credentials {
  return Object.fromEntries(Object.entries(credentials).filter(([, value]) => value !== undefined));
}

function refuseForeign({ cluster, user, context }: Selection): void {
  const named = [
    ["certificate-authority", cluster.entry["certificate-authority"]],
    ["client-certificate", user.entry["client-certificate"]],
    ["client-key", user.entry["client-key"]],
    ["tokenFile", user.entry.tokenFile],
    ["exec", user.entry.exec],
    ["auth-provider", user.entry["auth-provider"]],
  ] as const;
  const [found] = named.find(([, value]) => value !== undefined) ?? [];
  if (found === undefined) return;
  throw new ConfigError(
    `${user.file}: context ${JSON.stringify(context)} uses ${found}; a kubeconfig given as text may only carry its data within, unless it is trusted`,
  );
}

/** A certificate without its key would make us anonymous without a word. */
function checkPair(
  { entry, file }: Placed<UserEntry>,
  whose: string,
  cert: string | undefined,
  key: string | undefined,
): void {
  const fault = pairFault(cert, key);
  if (fault === undefined) return;
  const [certField, keyField] = (["client-certificate", "client-key"] as const).map((field) =>
    entry[`${field}-data`] === undefined ? field : `${field}-data`,
  );
  throw new ConfigError(
    fault === "no key"
      ? `${file}: ${whose} has ${certField}, but no client-key`
      : `${file}: ${certField} and ${keyField} of ${whose} do not belong together: the key is that of another certificate`,
  );
}

/** The same of what lies within the kubeconfig; a key in a file is looked at when that is read. */
function checkData(user: Placed<UserEntry>, whose: string): void {
  const cert = dataOf(user, "client-certificate", whose);
  const key = dataOf(user, "client-key", whose);
  if (key !== undefined || user.entry["client-key"] === undefined)
    checkPair(user, whose, cert, key);
}

type PemField = "certificate-authority" | "client-certificate" | "client-key";

/** PEM text within the kubeconfig; undefined when there is none. */
function dataOf(
  { entry, file }: Placed<ClusterEntry & UserEntry>,
  field: PemField,
  whose: string,
): string | undefined {
  const data = entry[`${field}-data`];
  if (data === undefined) return undefined;
  const pem = Buffer.from(data, "base64").toString("utf8");
  if (pem.includes("-----BEGIN ")) return pem;
  throw new ConfigError(`${file}: ${field}-data of ${whose} is no base64 of a PEM file`);
}

function pemReader(
  placed: Placed<ClusterEntry & UserEntry>,
  field: PemField,
  whose: string,
): Reader {
  const { entry, file } = placed;
  const pem = dataOf(placed, field, whose);
  if (pem !== undefined) return async () => pem;
  const path = entry[field];
  if (path === undefined) return async () => undefined;
  return async () => {
    const pem = await readNamed(resolve(dirname(file), path), `${field} of ${whose}`, file);
    if (pem.includes("-----BEGIN ")) return pem;
    throw new ConfigError(`${file}: ${field} of ${whose}, ${path}, is no PEM file`);
  };
}

function tokenReader({ entry, file }: Placed<UserEntry>, whose: string): Reader {
  const { token, tokenFile: path } = entry;
  if (path === undefined) return async () => token;
  return async () => {
    const text = await readNamed(resolve(dirname(file), path), `tokenFile of ${whose}`, file);
    const read = text.trim();
    if (read === "") throw new ConfigError(`${file}: tokenFile of ${whose}, ${path}, is empty`);
    return read;
  };
}

function readNamed(path: string, what: string, file: string): Promise<string> {
  return readFile(path, "utf8").catch((thrown: unknown) => {
    throw new ConfigError(`${file}: ${what} is ${path}, but ${fileFault(thrown)}`);
  });
}

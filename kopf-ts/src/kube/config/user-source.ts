/** The credentials of a kubeconfig's user, read when they are needed. */

import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { CredentialSource, Credentials } from "./credentials.ts";
import { ConfigError, fileFault, type Placed } from "./kubeconfig.ts";
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
  const basic = { username: entry.username, password: entry.password };

  const read: CredentialSource = async () => {
    const [caText, certText, keyText, tokenText] = await Promise.all([
      ca(),
      cert(),
      key(),
      token(),
    ]);
    return { ca: caText, cert: certText, key: keyText, token: tokenText, ...basic };
  };
  if (entry.exec === undefined && entry["auth-provider"] === undefined) return read;
  return withPlugin(selection, read);
}

/** Adds what a plug-in gives. client-node is loaded at the first reading: it costs half a second and 120 MB. */
function withPlugin(selection: Selection, read: CredentialSource): CredentialSource {
  let plugin: Promise<CredentialSource> | undefined;
  return async (options) => {
    plugin ??= import("./plugin.ts").then(({ pluginSource }) => pluginSource(selection));
    const [own, given] = await Promise.all([read(options), (await plugin)(options)]);
    return { ...own, ...defined(given) };
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
  const [found] = named.find(([, value]) => value !== undefined && value !== "") ?? [];
  if (found === undefined) return;
  throw new ConfigError(
    `${user.file}: context ${JSON.stringify(context)} uses ${found}; a kubeconfig given as text may only carry its data within, unless it is trusted`,
  );
}

function pemReader(
  { entry, file }: Placed<object>,
  field: "certificate-authority" | "client-certificate" | "client-key",
  whose: string,
): Reader {
  const fields = entry as Readonly<Record<string, unknown>>;
  const data = textOf(fields, `${field}-data`, file, whose);
  if (data !== undefined) {
    const pem = Buffer.from(data, "base64").toString("utf8");
    if (!pem.includes("-----BEGIN ")) {
      throw new ConfigError(`${file}: ${field}-data of ${whose} is no base64 of a PEM file`);
    }
    return async () => pem;
  }
  const path = textOf(fields, field, file, whose);
  if (path === undefined) return async () => undefined;
  return async () => {
    const pem = await readNamed(resolve(dirname(file), path), `${field} of ${whose}`, file);
    if (pem.includes("-----BEGIN ")) return pem;
    throw new ConfigError(`${file}: ${field} of ${whose}, ${path}, is no PEM file`);
  };
}

function tokenReader({ entry, file }: Selection["user"], whose: string): Reader {
  const token = textOf({ ...entry }, "token", file, whose);
  const path = textOf({ ...entry }, "tokenFile", file, whose);
  if (path === undefined) return async () => token;
  return async () => {
    const text = await readNamed(resolve(dirname(file), path), `tokenFile of ${whose}`, file);
    const read = text.trim();
    if (read === "") throw new ConfigError(`${file}: tokenFile of ${whose}, ${path}, is empty`);
    return read;
  };
}

function textOf(
  fields: Readonly<Record<string, unknown>>,
  name: string,
  file: string,
  whose: string,
): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value;
  throw new ConfigError(`${file}: ${name} of ${whose} is no text; put it in quotes`);
}

async function readNamed(path: string, what: string, file: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new ConfigError(`${file}: ${what} is ${path}, but ${fileFault(cause)}`, { cause });
  }
}

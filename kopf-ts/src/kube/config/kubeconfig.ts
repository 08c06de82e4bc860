/** Kubeconfig files: their shape, reading and merging. */

import { messageOf } from "../../base/index.ts";

/** A kubeconfig's cluster; names as in the file. */
export interface ClusterEntry {
  readonly server?: string;
  readonly "certificate-authority"?: string;
  readonly "certificate-authority-data"?: string;
  readonly "tls-server-name"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
  readonly "proxy-url"?: string;
}

/** A kubeconfig's user; names as in the file. */
export interface UserEntry {
  readonly "client-certificate"?: string;
  readonly "client-certificate-data"?: string;
  readonly "client-key"?: string;
  readonly "client-key-data"?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly as?: string;
  readonly "as-uid"?: string;
  readonly "as-groups"?: readonly string[];
  readonly "as-user-extra"?: Readonly<Record<string, readonly string[]>>;
  readonly exec?: ExecEntry;
  readonly "auth-provider"?: { readonly name?: string; readonly config?: object };
}

/** A program that prints credentials. */
export interface ExecEntry {
  readonly apiVersion?: string;
  readonly command?: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
}

/** A kubeconfig's context. */
export interface ContextEntry {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** An entry with the file it came from; its relative paths count from there. */
export interface Placed<T> {
  readonly entry: T;
  readonly file: string;
}

/** One or more kubeconfigs as one. */
export interface Kubeconfig {
  /** Where it came from, for messages. */
  readonly source: string;
  readonly clusters: ReadonlyMap<string, Placed<ClusterEntry>>;
  readonly users: ReadonlyMap<string, Placed<UserEntry>>;
  readonly contexts: ReadonlyMap<string, Placed<ContextEntry>>;
  readonly currentContext: string;
}

/** Thrown when a configuration cannot be used; its message says where the fault is and what to do. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Reads a kubeconfig's text, YAML or JSON; `file` is for messages and relative paths. Throws ConfigError. */
export async function parseKubeconfig(text: string, file: string): Promise<Kubeconfig> {
  const document = await parseDocument(text, file);
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    throw new ConfigError(`${file} is no kubeconfig: it has no clusters, users and contexts`);
  }
  const fields = document as Readonly<Record<string, unknown>>;
  const currentContext = fields["current-context"] ?? "";
  if (typeof currentContext !== "string") {
    throw new ConfigError(`${file} is no kubeconfig: current-context is no text`);
  }
  return {
    source: file,
    clusters: entries<ClusterEntry>(fields, "clusters", "cluster", file),
    users: entries<UserEntry>(fields, "users", "user", file),
    contexts: entries<ContextEntry>(fields, "contexts", "context", file),
    currentContext,
  };
}

/** JSON is read without the YAML parser: loading that costs 30 ms and 11 MB. Messages never quote the text, which holds secrets. */
async function parseDocument(text: string, file: string): Promise<unknown> {
  if (text.trimStart().startsWith("{")) {
    try {
      return JSON.parse(text);
    } catch {
      // YAML may begin with a brace, too
    }
  }
  const { parseDocument: parse } = await import("yaml");
  const document = parse(text, { prettyErrors: false });
  const [error] = document.errors;
  if (error === undefined) return document.toJS();
  const line = text.slice(0, error.pos[0]).split("\n").length;
  throw new ConfigError(`${file} is no valid YAML: ${error.code} at line ${line}`);
}

function entries<T extends object>(
  fields: Readonly<Record<string, unknown>>,
  list: string,
  key: string,
  file: string,
): ReadonlyMap<string, Placed<T>> {
  const value = fields[list] ?? [];
  if (!Array.isArray(value)) throw new ConfigError(`${file} is no kubeconfig: ${list} is no list`);
  const found = new Map<string, Placed<T>>();
  for (const [index, item] of value.entries()) {
    if (!isRecord(item) || typeof item.name !== "string") {
      throw new ConfigError(`${file}: ${list}[${index}] has no name`);
    }
    const entry = item[key] ?? {};
    if (!isRecord(entry)) throw new ConfigError(`${file}: ${list}[${index}].${key} is no mapping`);
    if (!found.has(item.name)) found.set(item.name, { entry: entry as T, file });
  }
  return found;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Merges as kubectl does: whoever names a cluster, user, context or the current context first wins. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  return {
    source: configs.map(({ source }) => source).join(", "),
    clusters: firstOf(configs.map(({ clusters }) => clusters)),
    users: firstOf(configs.map(({ users }) => users)),
    contexts: firstOf(configs.map(({ contexts }) => contexts)),
    currentContext:
      configs.find(({ currentContext }) => currentContext !== "")?.currentContext ?? "",
  };
}

function firstOf<T>(maps: readonly ReadonlyMap<string, T>[]): ReadonlyMap<string, T> {
  return new Map(maps.toReversed().flatMap((map) => [...map]));
}

/** What went wrong with a file, in words. */
export function fileFault(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  if (code === "ENOENT") return "it does not exist";
  if (code === "EACCES") return "it may not be read";
  return messageOf(thrown);
}

/** The entries of a kubeconfig (client-go: tools/clientcmd/api/v1), read with every field checked. */

import { ConfigError } from "./config-error.ts";
import { Fields, type Mapping, type Owner, part } from "./fields.ts";

/** A kubeconfig's cluster; names as in the file. */
export interface ClusterEntry {
  readonly server?: string;
  readonly "certificate-authority"?: string;
  readonly "certificate-authority-data"?: string;
  readonly "tls-server-name"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
  readonly "proxy-url"?: string;
  readonly "disable-compression"?: boolean;
  /** What exec plug-ins are told about the cluster, in any form. */
  readonly execConfig?: unknown;
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
  readonly "auth-provider"?: { readonly name: string; readonly config?: Mapping };
}

/** A program that prints credentials. */
export interface ExecEntry {
  readonly apiVersion: ExecVersion;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint?: string;
  readonly provideClusterInfo: boolean;
}

/** What plug-ins speak. */
export type ExecVersion = (typeof execVersions)[number];

/** v1alpha1 is gone from client-go since 1.24. */
const execVersions = [
  "client.authentication.k8s.io/v1",
  "client.authentication.k8s.io/v1beta1",
] as const;

/** A kubeconfig's context. */
export interface ContextEntry {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** Reads a cluster; Throws ConfigError. */
export function parseCluster(mapping: Mapping, owner: Owner): ClusterEntry {
  const fields = new Fields(mapping, owner);
  return {
    ...texts(fields, [
      "server",
      "certificate-authority",
      "certificate-authority-data",
      "tls-server-name",
      "proxy-url",
    ]),
    ...defined({
      "insecure-skip-tls-verify": fields.flag("insecure-skip-tls-verify"),
      "disable-compression": fields.flag("disable-compression"),
      execConfig: execConfigOf(fields),
    }),
  };
}

/** The extension under the name that client-go reserves for it (pkg/apis/clientauthentication/v1: ExecCredentialSpec, Cluster.Config). */
function execConfigOf(fields: Fields): unknown {
  const named = fields
    .mappings("extensions")
    .find(({ fields: each }) => each.text("name") === "client.authentication.k8s.io/exec");
  return named?.of.extension ?? undefined;
}

/** Reads a user; Throws ConfigError. */
export function parseUser(mapping: Mapping, owner: Owner): UserEntry {
  const fields = new Fields(mapping, owner);
  return {
    ...texts(fields, [
      "client-certificate",
      "client-certificate-data",
      "client-key",
      "client-key-data",
      "token",
      "tokenFile",
      "username",
      "password",
      "as",
      "as-uid",
    ]),
    ...defined({
      "as-groups": fields.texts("as-groups"),
      "as-user-extra": fields.extra("as-user-extra"),
      exec: parseExec(fields.mapping("exec"), part(owner, "exec")),
      "auth-provider": parseProvider(fields.mapping("auth-provider"), part(owner, "auth-provider")),
    }),
  };
}

/** Reads a context; Throws ConfigError. */
export function parseContext(mapping: Mapping, owner: Owner): ContextEntry {
  return texts(new Fields(mapping, owner), ["cluster", "user", "namespace"]);
}

function parseExec(mapping: Mapping | undefined, owner: Owner): ExecEntry | undefined {
  if (mapping === undefined) return undefined;
  const fields = new Fields(mapping, owner);
  const command = fields.text("command");
  if (command === undefined) throw missing(owner, "command");
  return {
    apiVersion: execVersionOf(fields, owner),
    command,
    args: fields.texts("args") ?? [],
    env: Object.fromEntries(fields.mappings("env").map((each) => variableOf(each.fields, owner))),
    provideClusterInfo: fields.flag("provideClusterInfo") ?? false,
    ...texts(fields, ["installHint"]),
  };
}

/** kubectl wants it to be there; we take its absence as v1. */
function execVersionOf(fields: Fields, owner: Owner): ExecVersion {
  const given = fields.text("apiVersion") ?? execVersions[0];
  const version = execVersions.find((each) => each === given);
  if (version !== undefined) return version;
  throw new ConfigError(
    `${owner.file}: apiVersion of ${owner.whose} must be ${execVersions.join(" or ")}`,
  );
}

function variableOf(fields: Fields, owner: Owner): readonly [string, string] {
  const name = fields.text("name");
  if (name === undefined) throw missing(part(owner, "env"), "name");
  return [name, fields.text("value") ?? ""];
}

function parseProvider(
  mapping: Mapping | undefined,
  owner: Owner,
): UserEntry["auth-provider"] | undefined {
  if (mapping === undefined) return undefined;
  const fields = new Fields(mapping, owner);
  const name = fields.text("name");
  if (name === undefined) throw missing(owner, "name");
  return { name, ...defined({ config: fields.mapping("config") }) };
}

function missing({ file, whose }: Owner, name: string): ConfigError {
  return new ConfigError(`${file}: ${whose} has no ${name}`);
}

function texts<Name extends string>(
  fields: Fields,
  names: readonly Name[],
): { readonly [name in Name]?: string } {
  const read = names.map((name) => [name, fields.text(name)] as const);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as {
    readonly [name in Name]?: string;
  };
}

/** Without what is undefined, so that entries hold what the file holds. */
function defined<T extends object>(fields: T): { [name in keyof T]?: Exclude<T[name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [name in keyof T]?: Exclude<T[name], undefined>;
  };
}

/** Kubeconfig files: their shape, reading and merging. */

import type { DocumentOptions, ParseOptions, SchemaOptions } from "yaml";
import { tryJson } from "../parse.ts";
import { ConfigError } from "./config-error.ts";
import {
  type ClusterEntry,
  type ContextEntry,
  parseCluster,
  parseContext,
  parseUser,
  type UserEntry,
} from "./entries.ts";
import { isMapping, type Mapping, type Owner } from "./fields.ts";

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

/** Reads a kubeconfig's text, YAML or JSON; `file` is for messages and relative paths. Throws ConfigError. */
export async function parseKubeconfig(text: string, file: string): Promise<Kubeconfig> {
  const document = await parseDocument(text, file);
  if (!isMapping(document)) {
    throw new ConfigError(`${file} is no kubeconfig: it has no clusters, users and contexts`);
  }
  const currentContext = document["current-context"] ?? "";
  if (typeof currentContext !== "string") {
    throw new ConfigError(`${file} is no kubeconfig: current-context is no text; put it in quotes`);
  }
  return {
    source: file,
    clusters: entries(document, "cluster", file, parseCluster),
    users: entries(document, "user", file, parseUser),
    contexts: entries(document, "context", file, parseContext),
    currentContext,
  };
}

/** JSON is read without the YAML parser: loading that costs 30 ms and 11 MB. Messages never quote the text, which holds secrets. */
async function parseDocument(text: string, file: string): Promise<unknown> {
  const json = text.trimStart().startsWith("{") ? tryJson(text) : undefined;
  return json ?? parseYaml(text, file); // which may begin with a brace, too
}

async function parseYaml(text: string, file: string): Promise<unknown> {
  const { parseDocument: parse } = await import("yaml");
  const read = (): { readonly value: unknown } | { readonly fault: string } => {
    try {
      const document = parse(text, { ...dialect, prettyErrors: false, logLevel: "silent" });
      const [error] = document.errors;
      if (error === undefined) return { value: document.toJS() };
      const line = text.slice(0, error.pos[0]).split("\n").length;
      return { fault: `${error.code} at line ${line}` };
    } catch (thrown) {
      return { fault: thrown instanceof ReferenceError ? "TOO_MANY_ALIASES" : "UNREADABLE" };
    }
  };
  const outcome = read();
  if ("value" in outcome) return outcome.value;
  throw new ConfigError(`${file} is no valid YAML: ${outcome.fault}`);
}

/** YAML as kubectl reads it (sigs.k8s.io/yaml): 1.1, in which `no` is false, but without numbers to base 60 and times. */
const dialect: ParseOptions & DocumentOptions & SchemaOptions = {
  version: "1.1",
  customTags: (tags) =>
    tags.filter(
      (tag) =>
        typeof tag === "string" ||
        (tag.tag !== "tag:yaml.org,2002:timestamp" && !("format" in tag && tag.format === "TIME")),
    ),
};

/** The entries of one sort by name; the first of a name counts. */
function entries<T extends object>(
  document: Mapping,
  sort: "cluster" | "user" | "context",
  file: string,
  parse: (mapping: Mapping, owner: Owner) => T,
): ReadonlyMap<string, Placed<T>> {
  const list = `${sort}s`;
  const value = document[list] ?? [];
  if (!Array.isArray(value)) throw new ConfigError(`${file} is no kubeconfig: ${list} is no list`);
  const found = new Map<string, Placed<T>>();
  for (const [index, item] of value.entries()) {
    if (!isMapping(item) || typeof item.name !== "string") {
      throw new ConfigError(`${file}: ${list}[${index}] has no name`);
    }
    const { name, [sort]: mapping = {} } = item;
    if (mapping !== null && !isMapping(mapping)) {
      throw new ConfigError(`${file}: ${list}[${index}].${sort} is no mapping`);
    }
    const entry = parse(mapping ?? {}, { file, whose: `${sort} ${JSON.stringify(name)}` });
    if (!found.has(name)) found.set(name, { entry, file });
  }
  return found;
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

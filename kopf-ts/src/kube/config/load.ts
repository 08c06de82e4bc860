import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import type { ClusterConfig } from "./cluster-config.ts";
import { ConfigError, fileFault } from "./config-error.ts";
import { type Environment, inClusterConfig, isInCluster } from "./in-cluster.ts";
import { type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from "./kubeconfig.ts";
import { select, toClusterConfig } from "./select.ts";

/** Where `loadConfig` looks. */
export interface ConfigOptions {
  /** A kubeconfig file; then nothing else is looked at. */
  readonly kubeconfig?: string | undefined;
  /** A kubeconfig itself, for example out of a Secret; then nothing else is looked at. */
  readonly text?: string | undefined;
  /** Lets a kubeconfig given as text name files and run plug-ins. */
  readonly trusted?: boolean | undefined;
  /** The context to use in place of the current one. */
  readonly context?: string | undefined;
  /** Environment variables; the process's own unless told. */
  readonly env?: Environment | undefined;
}

/**
 * Finds a cluster: in the kubeconfig given, else in those of KUBECONFIG (merged, as kubectl does), else as a Pod, else in
 * ~/.kube/config (order of controller-runtime: pkg/client/config). Nothing is connected. Throws ConfigError, which says what is wrong and what to do.
 */
export async function loadConfig(options: ConfigOptions = {}): Promise<ClusterConfig> {
  const { text, kubeconfig, context, trusted, env = process.env } = options;
  if (text !== undefined) {
    const parsed = await parseKubeconfig(text, "the kubeconfig given as text");
    return toClusterConfig(select(parsed, context), trusted ?? false);
  }
  if (kubeconfig !== undefined) return choose([await readOne(kubeconfig)], context);

  const listed = (env.KUBECONFIG ?? "").split(delimiter).filter((path) => path !== "");
  if (listed.length > 0) return choose(await readAll(listed), context);
  if (isInCluster(env) && context === undefined) return inClusterConfig(env);
  const home = join(env.HOME ?? homedir(), ".kube", "config");
  return choose([await readOne(home, " and KUBECONFIG is not set; name a kubeconfig")], context);
}

function choose(configs: readonly Kubeconfig[], context: string | undefined): ClusterConfig {
  return toClusterConfig(select(mergeKubeconfigs(configs), context), true);
}

/** Files of a list may be missing, but not all of them. */
async function readAll(paths: readonly string[]): Promise<readonly Kubeconfig[]> {
  const read = await Promise.all(paths.map((path) => readIfThere(resolve(path))));
  const found = read.filter((each) => each !== undefined);
  if (found.length > 0) return found;
  throw new ConfigError(`KUBECONFIG names ${paths.join(", ")}, but there is no such file`);
}

async function readIfThere(path: string): Promise<Kubeconfig | undefined> {
  try {
    return await parseKubeconfig(await readFile(path, "utf8"), path);
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT") return undefined;
    throw asConfigError(path, thrown, "");
  }
}

async function readOne(given: string, hint = ""): Promise<Kubeconfig> {
  if (given === "") {
    throw new ConfigError("the name of the kubeconfig is empty; name a file, or none at all");
  }
  const path = resolve(given);
  try {
    return await parseKubeconfig(await readFile(path, "utf8"), path);
  } catch (thrown) {
    throw asConfigError(path, thrown, hint);
  }
}

function asConfigError(path: string, thrown: unknown, hint: string): ConfigError {
  if (thrown instanceof ConfigError) return thrown;
  return new ConfigError(`cannot read the kubeconfig ${path}: ${fileFault(thrown)}${hint}`);
}

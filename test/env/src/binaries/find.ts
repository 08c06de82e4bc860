// Where the programs of a control plane come from.
import { existsSync } from "node:fs";
import { delimiter } from "node:path";
import { type BuildOptions, build } from "./build.ts";
import { which } from "./which.ts";

/** Paths of the programs; `origin` says in words where they were found. */
export interface Binaries {
  readonly origin: string;
  readonly etcd: string;
  readonly apiServer: string;
  readonly controllerManager: string;
  /** Absent only in a set of the user's own that has none, when PATH has none either. */
  readonly kubectl: string | undefined;
}

/** Where to look, and how to build what is found nowhere. */
export interface FindOptions extends BuildOptions {
  /** A folder that must hold all three programs; nothing else is looked at then. */
  readonly dir?: string | undefined;
  /** Builds the programs and resolves with their folder; default: from hack/controlplane, once per user. */
  readonly build?: (options: BuildOptions) => Promise<string>;
}

const REQUIRED = ["etcd", "kube-apiserver", "kube-controller-manager"] as const;

/**
 * Finds etcd, kube-apiserver, kube-controller-manager and kubectl: in `dir` if given; else as a complete
 * set in KUBEBUILDER_ASSETS; else in PATH; else built once from hack/controlplane. Throws one error that
 * names these ways when none of them works.
 */
export async function findBinaries(options: FindOptions = {}): Promise<Binaries> {
  const env = options.env ?? process.env;
  const path = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  if (options.dir !== undefined) {
    if (!isComplete([options.dir])) throw new Error(`${options.dir} ${shortageOf(options.dir)}`);
    return setOf(options.dir, [options.dir], path);
  }
  const assets = env.KUBEBUILDER_ASSETS;
  if (assets) {
    if (isComplete([assets])) return setOf(`KUBEBUILDER_ASSETS (${assets})`, [assets], path);
    const output = options.output ?? process.stderr;
    output.write(`KUBEBUILDER_ASSETS (${assets}) ${shortageOf(assets)}, looking further\n`);
  }
  if (isComplete(path)) return setOf("PATH", path, path);

  const built = await (options.build ?? build)(options);
  return setOf(`hack/controlplane (${built})`, [built], path);
}

function shortageOf(folder: string): string {
  if (!existsSync(folder)) return "does not exist";
  const missing = REQUIRED.filter((name) => which(name, [folder]) === undefined);
  return `is not a complete set: it has no executable ${missing.join(", no ")}`;
}

function isComplete(folders: readonly string[]): boolean {
  return REQUIRED.every((name) => which(name, folders) !== undefined);
}

function setOf(origin: string, folders: readonly string[], path: readonly string[]): Binaries {
  return {
    origin,
    etcd: which("etcd", folders) ?? "etcd",
    apiServer: which("kube-apiserver", folders) ?? "kube-apiserver",
    controllerManager: which("kube-controller-manager", folders) ?? "kube-controller-manager",
    kubectl: which("kubectl", [...folders, ...path]),
  };
}

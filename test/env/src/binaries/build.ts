// Builds hack/controlplane once per user and version of its sources.
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeFolder } from "../folder.ts";
import { Guard } from "../guardian/guard.ts";
import { acquire } from "../lock.ts";
import { follow, sizeOf, tail } from "../log-file.ts";
import { BuildProgress, type Output } from "./progress.ts";
import { which } from "./which.ts";

/** Folder of the Go sources, as seen from `dist/binaries`. */
const SOURCES = fileURLToPath(new URL("../../../../hack/controlplane", import.meta.url));

/** The names under which the one executable is linked in its folder. */
const COMPONENTS = ["etcd", "kube-apiserver", "kube-controller-manager", "kubectl"] as const;

const VERSION_PACKAGE = "k8s.io/component-base/version";

/** A build nobody has used for so long is removed when the next one is made. */
const UNUSED_LIFE = 30 * 24 * 3_600_000;

/** Where a build takes its settings from and shows its progress. */
export interface BuildOptions {
  /** Environment with PATH, the cache folder and Go's settings; default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Receives the progress of a build; default: standard error. */
  readonly output?: Output | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The folder with the built programs; builds them if this user's cache lacks them.
 *
 * Guarantees: a folder in the cache is always whole (it is renamed into place); of several processes one
 * builds while the others wait; a build whose process was killed is taken over; a hit costs milliseconds.
 */
export async function build(options: BuildOptions = {}): Promise<string> {
  const env = options.env ?? process.env;
  const cache = join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "drover", "controlplane");
  if (!existsSync(SOURCES)) throw notFound();
  const folder = join(cache, cacheKey());
  if (isBuilt(folder)) return folder;

  const go = which("go", (env.PATH ?? "").split(delimiter));
  if (go === undefined) throw notFound();
  makeFolder(cache, {
    what: "the cache of built programs",
    remedy: "set XDG_CACHE_HOME to a folder that can be written",
  });
  const output = options.output ?? process.stderr;
  const lock = await acquire(`${folder}.lock`, {
    signal: options.signal,
    onWait: ({ processes: [holder] }) =>
      output.write(`process ${holder?.pid} is building the control plane, waiting for it\n`),
  });
  try {
    if (isBuilt(folder)) return folder;
    await compile({ go, folder, output, env, signal: options.signal });
    removeUnused(cache);
    return folder;
  } finally {
    lock.release();
  }
}

/** One message for every machine that has neither the programs nor the means to build them. */
function notFound(): Error {
  return new Error(
    [
      "no control plane: etcd, kube-apiserver and kube-controller-manager were not found. Do one of these:",
      "  - install Go 1.25 or later, and they are built once from hack/controlplane (about 5 minutes)",
      "  - point KUBEBUILDER_ASSETS at a folder that has all three (setup-envtest makes one)",
      "  - put all three in PATH",
      "  - use a cluster that runs already: --kubeconfig <file>",
    ].join("\n"),
  );
}

interface Compilation {
  readonly go: string;
  readonly folder: string;
  readonly output: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal | undefined;
}

/** Compiles into a folder beside the final one and renames it, so that nobody ever sees half of it. */
async function compile(compilation: Compilation): Promise<void> {
  const { folder, output } = compilation;
  const draft = `${folder}.partial-${process.pid}`;
  const log = `${folder}.log`;
  rmSync(log, { force: true });
  mkdirSync(draft, { recursive: true });
  const { version, modules } = readGoMod();
  const progress = new BuildProgress(output, `building Kubernetes ${version}`, modules);
  const guard = new Guard({ grace: 2_000, remove: [draft], log });

  progress.start();
  guard.start();
  try {
    await list(compilation, guard, progress, log);
    const build = ["build", ...buildFlags(version), "-v", "-o", join(draft, "controlplane"), "."];
    await runGo(compilation, guard, log, build, (line) => progress.line(line));
    for (const name of COMPONENTS) symlinkSync("controlplane", join(draft, name));
    renameSync(draft, folder);
    progress.finish("done");
  } catch (error) {
    progress.finish("stopped");
    throw error;
  } finally {
    await guard.stop();
  }
}

/** Downloads what is missing and counts what there is to compile. */
async function list(
  compilation: Compilation,
  guard: Guard,
  progress: BuildProgress,
  log: string,
): Promise<void> {
  let packages = 0;
  await runGo(compilation, guard, log, ["list", "-mod=readonly", "-deps", "."], (line) => {
    if (line.startsWith("go: ")) progress.line(line);
    else progress.expect(++packages);
  });
}

/** Runs Go under guard, so that neither it nor its compilers outlive this process. */
async function runGo(
  { go, env, signal }: Compilation,
  guard: Guard,
  log: string,
  args: readonly string[],
  listen: (line: string) => void,
): Promise<void> {
  const from = sizeOf(log);
  const program = { command: go, args, cwd: SOURCES, env: goEnvironment(env), log };
  const { ended } = await guard.run(program);
  const { code } = await guard.hold(follow(log, { from, until: ended, signal }, listen));
  if (code !== 0) throw buildFailure(log, args);
}

/** No cgo: the same bytes run on every Linux; no debug information: a third less to compile and to store. */
function buildFlags(version: string): string[] {
  const [major, minor] = version.slice(1).split(".");
  const stamps = {
    gitVersion: version,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: "clean",
    buildDate: "1970-01-01T00:00:00Z",
  };
  const variables = Object.entries(stamps).map(
    ([name, value]) => `-X ${VERSION_PACKAGE}.${name}=${value}`,
  );
  return [
    "-mod=readonly",
    "-trimpath",
    "-buildvcs=false",
    "-gcflags=all=-dwarf=false",
    `-ldflags=-s -w ${variables.join(" ")}`,
  ];
}

/** The user's own settings (proxy, cache) hold, but not what would build something else. */
function goEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const own: Record<string, string | undefined> = {
    ...env,
    CGO_ENABLED: "0",
    GOWORK: "off",
    GOOS: undefined,
    GOARCH: undefined,
  };
  const set = Object.entries(own).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(set);
}

function buildFailure(log: string, args: readonly string[]): Error {
  const end = tail(log, 20) || "(no output)";
  return new Error(
    `go ${args[0]} failed in ${SOURCES}; the whole output is in ${log}, its end is\n${end}`,
  );
}

function readGoMod(): { version: string; modules: number } {
  const text = readFileSync(join(SOURCES, "go.mod"), "utf8");
  const version = /^\s*k8s\.io\/kubernetes (v\S+)/m.exec(text)?.[1] ?? "v0.0.0";
  return { version, modules: text.match(/^\s+\S+ v\S+( \/\/ indirect)?$/gm)?.length ?? 0 };
}

/** Changes with everything that could change the result. */
function cacheKey(): string {
  const hash = createHash("sha256");
  const sources = readdirSync(SOURCES).filter((name) =>
    /^go\.(mod|sum)$|(?<!_test)\.go$/.test(name),
  );
  for (const name of sources.sort())
    hash.update(`${name}\n`).update(readFileSync(join(SOURCES, name)));
  const flags = buildFlags(readGoMod().version).join(" ");
  return hash.update(`${flags} ${process.platform} ${process.arch}`).digest("hex").slice(0, 20);
}

/** Also marks the folder as used. */
function isBuilt(folder: string): boolean {
  if (which("controlplane", [folder]) === undefined) return false;
  try {
    utimesSync(folder, new Date(), new Date());
  } catch {
    // a cache that is only readable serves as well
  }
  return true;
}

function removeUnused(cache: string): void {
  for (const entry of readdirSync(cache)) {
    const path = join(cache, entry);
    const used = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - used > UNUSED_LIFE) rmSync(path, { recursive: true, force: true });
  }
}

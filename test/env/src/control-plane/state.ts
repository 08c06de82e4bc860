// The folder of a control plane: what lies where, who may use it, what the next run needs to know.
import { mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../folder.ts";
import { acquire, type Lock } from "../lock.ts";
import { sizeOf } from "../log-file.ts";
import { isAlive } from "../process.ts";
import { writeSecret } from "./pki.ts";

/** Paths inside the folder; together all that a control plane ever writes there. */
export interface StatePaths {
  readonly dir: string;
  readonly etcd: string;
  readonly pki: string;
  readonly logs: string;
  readonly users: string;
  readonly tokens: string;
  readonly cache: string;
  readonly kubeconfig: string;
  readonly memory: string;
  readonly lock: string;
}

/** The paths of the state in `dir`. */
export function statePaths(dir: string): StatePaths {
  return {
    dir,
    etcd: join(dir, "etcd"),
    pki: join(dir, "pki"),
    logs: join(dir, "logs"),
    users: join(dir, "users"),
    tokens: join(dir, "tokens.csv"),
    cache: join(dir, "kubectl-cache"),
    kubeconfig: join(dir, "kubeconfig"),
    memory: join(dir, "state.json"),
    lock: join(dir, "lock"),
  };
}

/** A run that is still ending after its launcher was killed gets this long. */
const ENDING = 20_000;

/**
 * Takes the folder for this process. Throws at once if another launcher uses it; waits if only the
 * guardian of a killed one is left.
 */
export async function takeState(paths: StatePaths, signal: AbortSignal | undefined): Promise<Lock> {
  const what = "the folder of the control plane's state";
  makeFolder(paths.dir, { what, remedy: "choose another with --dir" }, 0o700);
  return acquire(paths.lock, {
    timeout: ENDING,
    signal,
    onWait: ({ host, processes: [launcher] }) => {
      if (launcher !== undefined && !isAlive(launcher)) return;
      throw new Error(
        `${paths.dir} is in use by a control plane of process ${launcher?.pid} on ${host}`,
      );
    },
  });
}

/** What the last run in this folder left for the next. */
export interface Memory {
  readonly port?: number;
}

/** Empty for a new folder, or one whose note cannot be read. */
export function recall({ memory }: StatePaths): Memory {
  try {
    const { port } = JSON.parse(readFileSync(memory, "utf8"));
    return Number.isInteger(port) ? { port } : {};
  } catch {
    return {};
  }
}

/** Keeps a note for the next run. */
export function remember({ memory }: StatePaths, note: Memory): void {
  writeSecret(memory, `${JSON.stringify(note)}\n`);
}

/** Logs begin anew with each run; those of the run before stay beside them. */
export function freshLog({ logs }: StatePaths, name: string): string {
  mkdirSync(logs, { recursive: true });
  const path = join(logs, `${name}.log`);
  if (sizeOf(path) > 0) renameSync(path, join(logs, `${name}.previous.log`));
  return path;
}

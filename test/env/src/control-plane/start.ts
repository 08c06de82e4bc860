import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { findBinaries } from "../binaries/find.ts";
import { makeFolder } from "../folder.ts";
import { Guard } from "../guardian/guard.ts";
import { ControlPlane } from "./control-plane.ts";
import type { ControlPlaneOptions } from "./options.ts";
import { ensurePki } from "./pki.ts";
import { freshLog, type StatePaths, statePaths, takeState } from "./state.ts";

/** All processes together have so long to end before they are killed; temporary ones have nothing to save. */
const GRACE = 10_000;

/** What the path of a Unix socket may hold, less the name of the socket. */
const LONGEST_RUN_FOLDER = 90;

/**
 * Starts etcd, kube-apiserver and kube-controller-manager on loopback and resolves once the API server is
 * ready and the controller manager has made the default ServiceAccount.
 *
 * Guarantees: independent of every other control plane, also in this process; ends with this process
 * however that ends; a state folder is used by one control plane at a time; a failed start leaves nothing
 * running and says which log to read. Throws when the programs cannot be found or built.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { signal, output } = options;
  signal?.throwIfAborted();
  const binaries = await findBinaries({ dir: options.binaries, output, signal });
  const run = runFolder();
  const paths = statePaths(options.dir === undefined ? run : resolve(options.dir));
  const lock = await takeState(paths, signal).catch((error: unknown) => {
    if (paths.dir !== run) rmSync(run, { recursive: true, force: true });
    throw error;
  });

  const persist = options.persist ?? options.dir !== undefined;
  const guard = new Guard({
    grace: persist ? GRACE : 0,
    remove: persist ? [run] : [run, ...contents(paths)],
    log: freshLog(paths, "guardian"),
  });
  guard.start();
  if (guard.pid !== undefined) lock.share(guard.pid);
  try {
    const pki = await ensurePki(paths.pki);
    const controlPlane = new ControlPlane({ paths, run, binaries, pki, guard, options }, lock);
    await controlPlane.start();
    return controlPlane;
  } catch (error) {
    await guard.stop();
    lock.release();
    throw error;
  }
}

function runFolder(): string {
  const preferred = tmpdir();
  const parent = preferred.length > LONGEST_RUN_FOLDER ? "/tmp" : preferred;
  const what = "the folder for temporary files";
  makeFolder(parent, { what, remedy: "set TMPDIR to a folder that can be written" });
  return mkdtempSync(join(parent, "drover-"));
}

/** Everything but the folder itself, which may hold files of the caller. */
function contents({ dir, ...paths }: StatePaths): string[] {
  return Object.values(paths);
}

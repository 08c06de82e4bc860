/** What `drover dev` serves: a control plane of its own, or the cluster of a kubeconfig. */

import { mkdir, rm, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type ControlPlane, startControlPlane } from "@drover/env";
import { userAgent } from "@drover/platform";
import { type Client, connect, exitCodes, Lease, loadConfig, messageOf } from "kopf-ts";
import { passwordFile } from "../admin-password.ts";
import { lease, type Target } from "../server.ts";
import type { DevOptions } from "./dev.ts";

/** Marks leases held by `drover dev` on a control plane of its own. */
const identityPrefix = "drover-dev_";

/** Where the first admin's password is kept, in the folder of the state. */
export function passwordPath(dir: string): string {
  return join(resolve(dir), "bootstrap-password");
}

/** Starts what has to be started; a failure leaves nothing running. */
export async function prepareTarget(options: DevOptions, signal: AbortSignal): Promise<Target> {
  const { dir, kubeconfig, context } = options;
  if (kubeconfig !== undefined) {
    const nothing = async (): Promise<void> => undefined;
    return { kubeconfig, context, removeWebhooks: true, [Symbol.asyncDispose]: nothing };
  }
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await startPlane(resolve(dir), signal));
  await linkKubectl(resolve(dir), plane.binaries.kubectl);
  const config = await loadConfig({ kubeconfig: plane.kubeconfigPath });
  await using client = connect(config, { userAgent });
  await forgetDeadLeader(client, signal);
  endWith(plane);
  const owned = stack.move();
  return {
    kubeconfig: plane.kubeconfigPath,
    identity: identityPrefix + crypto.randomUUID(),
    embedded: true,
    announce: passwordFile(passwordPath(dir)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The signal ends its start only: what drains later, when the server stops, needs the control plane. */
async function startPlane(dir: string, signal: AbortSignal): Promise<ControlPlane> {
  const starting = new AbortController();
  const stop = (): void => starting.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await startControlPlane({ dir, signal: starting.signal });
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** A control plane whose process ends unasked takes us with it, at once: nothing that drains could reach it. */
function endWith(plane: ControlPlane): void {
  void plane.failure.then(async (error) => {
    process.stderr.write(`drover: ${messageOf(error)}\n`);
    await plane.stop();
    process.exit(exitCodes.failed);
  });
}

/** Puts the control plane's kubectl where people without one find it. */
async function linkKubectl(dir: string, kubectl: string | undefined): Promise<void> {
  if (kubectl === undefined) return;
  const link = join(dir, "bin", "kubectl");
  await mkdir(dirname(link), { recursive: true });
  await rm(link, { force: true });
  await symlink(kubectl, link);
}

/** One process at a time has the folder, so a lease that names another `drover dev` is that of a dead one: nobody need wait for its end. */
async function forgetDeadLeader(client: Client, signal: AbortSignal): Promise<void> {
  const { namespace, name } = lease;
  const held = await client.find(Lease, name, { namespace, signal });
  if (held?.spec?.holderIdentity?.startsWith(identityPrefix) !== true) return;
  await client.delete(held, { signal });
}

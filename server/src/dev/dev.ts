/** `drover dev`: a control plane of its own, the CRDs, and the server on top. */

import { mkdir, rm, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { installCrds, kinds } from "@drover/crds";
import { type ControlPlane, findBinaries, startControlPlane } from "@drover/env";
import {
  connect,
  createLogger,
  type ExitCode,
  exitCodes,
  type Logger,
  loadConfig,
  messageOf,
  runOperator,
  systemClock,
} from "kopf-ts";
import { httpsUrl, type ServerOptions } from "../options.ts";
import { type Serving, serve } from "../server.ts";
import { nextSteps } from "./next-steps.ts";

/** Options of the command. */
export interface DevOptions extends ServerOptions {
  readonly dir: string;
}

/** Runs until a signal; resolves with the exit code. */
export async function runDev(options: DevOptions): Promise<number> {
  const logger = createLogger({ level: options.logLevel, format: options.logFormat });
  return runOperator({ start: (signal) => develop(options, signal, logger) }, { logger });
}

async function develop(
  options: DevOptions,
  signal: AbortSignal,
  logger: Logger,
): Promise<ExitCode> {
  try {
    await using plane = await planeFor(options, signal);
    const kubeconfig = options.kubeconfig ?? plane?.kubeconfigPath ?? "";
    await linkKubectl(resolve(options.dir), signal);
    const lost = lossOf(plane);
    const running = AbortSignal.any([signal, lost]);
    const target = { ...options, kubeconfig };
    await install(target, running, logger);
    const code = await serve(target, running, logger, (serving) => {
      void announce(serving, options, kubeconfig, running);
    });
    return lost.aborted ? exitCodes.failed : code;
  } catch (error) {
    if (signal.aborted) return exitCodes.stopped;
    complain(error);
    return exitCodes.failed;
  }
}

/** The signal ends its start only: what drains later, when the server stops, needs the control plane. */
async function planeFor(
  { dir, kubeconfig }: DevOptions,
  signal: AbortSignal,
): Promise<ControlPlane | undefined> {
  if (kubeconfig !== undefined) return undefined;
  const starting = new AbortController();
  const stop = (): void => starting.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await startControlPlane({ dir: resolve(dir), signal: starting.signal });
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Aborts when a process of the control plane ends that nobody stopped; says so at once, for what drains then only finds out slowly. */
function lossOf(plane: ControlPlane | undefined): AbortSignal {
  const lost = new AbortController();
  void plane?.failure.then(async (error) => {
    complain(error);
    await plane.stop();
    lost.abort(error);
  });
  return lost.signal;
}

function complain(error: unknown): void {
  process.stderr.write(`drover dev: ${messageOf(error)}\n`);
}

/** Puts the control plane's kubectl where people without one find it. */
async function linkKubectl(dir: string, signal: AbortSignal): Promise<void> {
  const { kubectl } = await findBinaries({ signal });
  if (kubectl === undefined) return;
  const link = join(dir, "bin", "kubectl");
  await mkdir(dirname(link), { recursive: true });
  await rm(link, { force: true });
  await symlink(kubectl, link);
}

async function install(options: ServerOptions, signal: AbortSignal, log: Logger): Promise<void> {
  await using client = connect(await loadConfig(options), { kinds, logger: log });
  const installed = await installCrds(client, { log: log.child({ part: "crds" }), signal });
  const changed = installed.filter(({ action }) => action !== "unchanged").length;
  log.info("CRDs are served", { total: installed.length, changed });
}

/** Says what to try next, once this process leads and every check is well. */
async function announce(
  { listener, operator }: Serving,
  options: DevOptions,
  kubeconfig: string,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    if (operator.leadership !== undefined && (await operator.health.unready()).length === 0) {
      const url = httpsUrl(options.bindHost, listener.httpsPort);
      process.stdout.write(nextSteps({ url, kubeconfig, dir: resolve(options.dir) }));
      return;
    }
    await systemClock.sleep(50, signal).catch(() => undefined);
  }
}

/** `drover dev`: a control plane of its own, the CRDs, and the server on top. */

import { resolve } from "node:path";
import { installCrds, kinds } from "@drover/crds";
import { type ControlPlane, startControlPlane } from "@drover/env";
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
import type { ServerOptions } from "../options.ts";
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
    await install(kubeconfig, signal, logger);
    return await serve({ ...options, kubeconfig }, signal, logger, (serving) => {
      void announce(serving, options, kubeconfig, signal);
    });
  } catch (error) {
    if (signal.aborted) return exitCodes.stopped;
    process.stderr.write(`drover dev: ${messageOf(error)}\n`);
    return exitCodes.failed;
  }
}

async function planeFor(
  { dir, kubeconfig }: DevOptions,
  signal: AbortSignal,
): Promise<ControlPlane | undefined> {
  if (kubeconfig !== undefined) return undefined;
  return startControlPlane({ dir: resolve(dir), signal });
}

async function install(kubeconfig: string, signal: AbortSignal, log: Logger): Promise<void> {
  await using client = connect(await loadConfig({ kubeconfig }), { kinds, logger: log });
  const installed = await installCrds(client, { log: log.child({ part: "crds" }), signal });
  const changed = installed.filter(({ action }) => action !== "unchanged").length;
  log.info("CRDs are served", { total: installed.length, changed });
}

/** Says what to try next, once every check is well. */
async function announce(
  { listener, health }: Serving,
  options: DevOptions,
  kubeconfig: string,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    if ((await health.unready()).length === 0) {
      const url = `https://${options.bindHost}:${listener.httpsPort}`;
      process.stdout.write(nextSteps({ url, kubeconfig, dir: resolve(options.dir) }));
      return;
    }
    await systemClock.sleep(100, signal).catch(() => undefined);
  }
}

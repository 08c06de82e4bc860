/** `drover dev`: the server, on a control plane of its own, or on a cluster of the user's. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { createLogger, type ExitCode, runOperator, systemClock } from "kopf-ts";
import { httpsUrl, type ServerOptions } from "../options.ts";
import { type Serving, serve } from "../server.ts";
import { nextSteps } from "./next-steps.ts";
import { passwordPath, prepareTarget } from "./target.ts";

/** Options of the command. */
export interface DevOptions extends ServerOptions {
  readonly dir: string;
}

/** Runs until a signal; resolves with the exit code. */
export async function runDev(options: DevOptions): Promise<number> {
  const logger = createLogger({ level: options.logLevel, format: options.logFormat });
  const ended = new AbortController();
  const start = async (signal: AbortSignal): Promise<ExitCode> => {
    const announcing = AbortSignal.any([signal, ended.signal]);
    const code = await serve(options, signal, logger, {
      target: (aborted) => prepareTarget(options, aborted),
      started: (serving) => void announce(serving, options, announcing),
    });
    ended.abort();
    return code;
  };
  return runOperator({ start }, { logger });
}

/** Says what to try next, once this process leads and every check is well. */
async function announce(
  { listener, operator, target }: Serving,
  { bindHost, dir, kubeconfig }: DevOptions,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    if (operator.leadership !== undefined && (await operator.health.unready()).length === 0) {
      const url = httpsUrl(bindHost, listener.httpsPort);
      const own = kubeconfig === undefined ? resolve(dir) : undefined;
      const kept = own === undefined ? undefined : passwordPath(own);
      const password = kept !== undefined && existsSync(kept) ? kept : undefined;
      const places = { url, kubeconfig: target.kubeconfig ?? "", dir: own, password };
      process.stdout.write(nextSteps(places));
      return;
    }
    await systemClock.sleep(50, signal).catch(() => undefined);
  }
}

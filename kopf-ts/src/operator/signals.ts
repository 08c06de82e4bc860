import type { Logger } from "../base/index.ts";
import { type ExitCode, exitCodes } from "./exit-code.ts";

/** Options of runOperator. */
export interface RunOptions {
  readonly logger: Logger;
  /** Milliseconds that the process gets to end by itself once the operator has; 5,000 unless told. */
  readonly linger?: number;
}

/** Whatever can be started: an Operator, or a server around one. */
export interface Startable {
  start(signal: AbortSignal): Promise<ExitCode>;
}

/**
 * Runs until SIGTERM or SIGINT, as the last thing a `main` does. The first signal stops in order, the second ends the process at once (128 plus
 * its number). Sets the exit code; when something keeps the process alive longer than `linger`, says so and exits. An exception that nobody catches is
 * logged before it ends the process.
 */
export async function runOperator(operator: Startable, options: RunOptions): Promise<ExitCode> {
  const { logger, linger = 5000 } = options;
  const stop = new AbortController();
  const onSignal = (name: NodeJS.Signals, number: number): void => {
    if (stop.signal.aborted) {
      logger.warn("stopping at once", { signal: name });
      process.exit(128 + number);
    }
    logger.info("stopping", { signal: name });
    stop.abort(new DOMException(`received ${name}`, "AbortError"));
  };
  const onException = (error: Error): void => logger.error("uncaught exception", { error });
  process.on("SIGTERM", onSignal).on("SIGINT", onSignal);
  process.on("uncaughtExceptionMonitor", onException);
  const code = await start(operator, stop.signal, logger);
  process.exitCode = code;
  exitLater(code, linger, logger);
  return code;
}

async function start(operator: Startable, signal: AbortSignal, log: Logger): Promise<ExitCode> {
  try {
    return await operator.start(signal);
  } catch (error) {
    log.error("the operator failed", { error });
    return exitCodes.failed;
  }
}

/** A timer that does not itself keep the process alive. */
function exitLater(code: ExitCode, linger: number, log: Logger): void {
  setTimeout(() => {
    log.warn("ending a process that something keeps alive", {
      resources: process.getActiveResourcesInfo(),
    });
    process.exit(code);
  }, linger).unref();
}

/** An operator-like process for tests of `runOperator`; its only argument says how it behaves. */

import { systemClock } from "../../base/index.ts";
import { createLogger } from "../../observe/index.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import { runOperator } from "../signals.ts";

/** How the process behaves. */
export type Behaviour =
  | "drains"
  | "never drains"
  | "loses its lease"
  | "rejects"
  | "lingers"
  | "throws beside";

const behaviours: Readonly<Record<Behaviour, (signal: AbortSignal) => Promise<ExitCode>>> = {
  drains: async (signal) => {
    await untilAborted(signal);
    process.stdout.write("drained\n");
    return exitCodes.stopped;
  },
  "never drains": () => systemClock.sleep(60_000).then(() => exitCodes.stopped),
  "loses its lease": async () => exitCodes.leaseLost,
  rejects: async () => {
    throw new Error("broken");
  },
  lingers: async () => {
    void systemClock.sleep(60_000);
    return exitCodes.stopped;
  },
  "throws beside": async (signal) => {
    queueMicrotask(() => {
      throw new Error("nobody catches this");
    });
    await untilAborted(signal);
    return exitCodes.stopped;
  },
};

async function untilAborted(signal: AbortSignal): Promise<void> {
  process.stdout.write("running\n");
  await systemClock.sleep(60_000, signal).catch(() => undefined);
}

const behaviour = behaviours[process.argv[2] as Behaviour];
const start = (signal: AbortSignal): Promise<ExitCode> => {
  process.stdout.write("started\n");
  return behaviour(signal);
};
await runOperator({ start }, { logger: createLogger(), linger: 300 });

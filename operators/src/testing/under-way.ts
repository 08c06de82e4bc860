/** Runs that are under way. */

import type { Metrics } from "kopf-ts";
import { eventually } from "kopf-ts/testing";

const patience = 1_000;

/**
 * Resolves when no controller has a run under way: what follows the answer to a write, such as an Event or a log line, comes after watches have told of it. Not longer than a
 * second, for a run may wait for a clock that stands still.
 */
export async function runsEnded(metrics: Metrics): Promise<void> {
  const isIdle = async (): Promise<boolean> =>
    (await metrics.text())
      .split("\n")
      .filter((line) => line.startsWith("controller_runtime_active_workers{"))
      .every((line) => line.endsWith(" 0"));
  await eventually(isIdle, { within: patience }).catch(() => undefined);
}

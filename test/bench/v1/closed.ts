/** What a server pays for an answer, and how long it takes, under a closed loop. */

import { type Aim, type Bounds, closedLoop } from "../load.ts";
import { undisturbed } from "../others.ts";
import type { Figures } from "../stats.ts";
import type { Measured } from "./measured.ts";

/** How it is asked. */
export interface Loop {
  readonly connections: number;
  /** Before it counts, so that all have warm caches and compiled code. */
  readonly warmUp: Bounds;
  readonly bounds: Bounds;
}

/** Asks again for all where it was disturbed; rejects when it always is. */
export async function figuresOf(
  name: string,
  aim: Aim,
  { pids, cpu }: Measured,
  { connections, warmUp, bounds }: Loop,
): Promise<Figures> {
  await closedLoop(aim, connections, warmUp);
  const { p50, p99, perSecond, bytes, cpu_s, answers } = await undisturbed(pids, async () => {
    const before = cpu();
    const found = await closedLoop(aim, connections, bounds);
    // The connections' first answers count as well: they were sent by the same process.
    return { ...found, cpu_s: cpu() - before, answers: found.count + connections };
  });
  return {
    [`${name}_cpu_ms`]: (cpu_s * 1000) / answers,
    [`${name}_p50_ms`]: p50,
    [`${name}_p99_ms`]: p99,
    [`${name}_per_s`]: perSecond,
    [`${name}_bytes`]: bytes,
  };
}

/** What a server pays for an answer, and how long it takes, under a closed loop. */

import { closedLoop } from "../closed-loop.ts";
import type { Aim, Bounds } from "../load.ts";
import type { Figures } from "../stats.ts";

/** How it is asked. */
export interface Loop {
  readonly connections: number;
  /** Before it counts, so that all have warm caches and compiled code. */
  readonly warmUp: Bounds;
  readonly bounds: Bounds;
}

/** `cpu` tells the CPU seconds of the server so far. */
export async function figuresOf(
  name: string,
  aim: Aim,
  cpu: () => number,
  { connections, warmUp, bounds }: Loop,
): Promise<Figures> {
  await closedLoop(aim, connections, warmUp);
  const before = cpu();
  const { p50, p99, perSecond, count, bytes } = await closedLoop(aim, connections, bounds);
  // The connections' first answers count as well: they were sent by the same process.
  return {
    [`${name}_cpu_ms`]: ((cpu() - before) * 1000) / (count + connections),
    [`${name}_p50_ms`]: p50,
    [`${name}_p99_ms`]: p99,
    [`${name}_per_s`]: perSecond,
    [`${name}_bytes`]: bytes,
  };
}

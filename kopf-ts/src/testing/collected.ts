import { systemClock } from "../base/index.ts";

/**
 * What the process uses once nothing more can be collected. What was let go of may take some turns: as long as V8 compiles a function on
 * another thread, it holds whatever that reaches. Needs `node --expose-gc`.
 */
export async function collected(): Promise<NodeJS.MemoryUsage> {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error("memory can be measured with node --expose-gc only");
  let least = Number.POSITIVE_INFINITY;
  for (let still = 0; still < 3; still++) {
    await systemClock.sleep(5);
    gc();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    if (heapUsed + arrayBuffers < least - 10_000) still = 0;
    least = Math.min(least, heapUsed + arrayBuffers);
  }
  return process.memoryUsage();
}

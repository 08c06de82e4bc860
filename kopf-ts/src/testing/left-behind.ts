import { collected } from "./collected.ts";

/** Waits that are measured together. */
const many = 5_000;

/** Bytes that each of many leaves behind who waits for something that does not come, and gives up, as callers do who go. Needs `node --expose-gc`. */
export async function leftBehind(wait: (signal: AbortSignal) => Promise<unknown>): Promise<number> {
  await giveUp(wait);
  const before = (await collected()).heapUsed;
  await giveUp(wait);
  const after = (await collected()).heapUsed;
  return Math.max(0, after - before) / many;
}

async function giveUp(wait: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  for (let each = 0; each < many; each++) {
    const stop = new AbortController();
    const waiting = wait(stop.signal).catch(() => undefined);
    if (each % 100 === 0) await new Promise(setImmediate);
    stop.abort();
    await waiting;
  }
}

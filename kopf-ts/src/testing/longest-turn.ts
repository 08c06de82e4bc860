import {
  constants,
  type PerformanceEntry,
  type PerformanceMeasure,
  PerformanceObserver,
} from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";

interface Turn {
  readonly start: number;
  readonly end: number;
  /** Processor time of the thread, in milliseconds. */
  readonly busy: number;
}

/**
 * The most processor time, in milliseconds, that one turn of the event loop took while `work` was going on. Others on the machine do not count, and neither
 * does looking through the whole heap for garbage, which grows with what all tests of the process made before; that is taken by the clock.
 */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.(); // what earlier tests left is not this work's
  const collections: PerformanceEntry[] = [];
  const observer = new PerformanceObserver((list) => {
    collections.push(...list.getEntries().filter(isOfWholeHeap));
  });
  observer.observe({ entryTypes: ["gc"] });
  let turns: readonly Turn[];
  try {
    turns = await turnsDuring(work);
    await setTimeout(1); // collections are told of in a later turn
  } finally {
    observer.disconnect();
  }
  return turns.reduce((longest, turn) => Math.max(longest, turn.busy - collecting(turn)), 0);

  function collecting({ start, end }: Turn): number {
    const during = collections.filter(({ startTime }) => start <= startTime && startTime < end);
    return during.reduce((sum, { duration }) => sum + duration, 0);
  }
}

/** Young garbage is the work's own. */
function isOfWholeHeap(collection: PerformanceEntry): boolean {
  const { detail } = collection as Partial<PerformanceMeasure>; // which Node has, and its types do not
  return detail?.kind !== constants.NODE_PERFORMANCE_GC_MINOR;
}

async function turnsDuring(work: () => Promise<unknown>): Promise<readonly Turn[]> {
  const turns: Turn[] = [];
  let start = performance.now();
  let before = process.threadCpuUsage();
  const endTurn = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    const end = performance.now();
    turns.push({ start, end, busy: (user + system) / 1000 });
    [start, before] = [end, process.threadCpuUsage()];
  };
  let next = setImmediate(function again() {
    endTurn();
    next = setImmediate(again);
  });
  try {
    await work();
  } finally {
    clearImmediate(next);
  }
  endTurn();
  return turns;
}

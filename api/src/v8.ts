/** What V8 is told, for the whole process. */

import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Garbage is collected, and code compiled, as a server wants that keeps much and does the same for each request. */
export function tuneV8(): void {
  boundYoung();
  markSeldom();
  optimizeSoon();
}

/** Of young objects, in bytes; V8 fills half of it before it collects them. */
const youngRoom = 64 * 1024 * 1024;

/**
 * Lets the room that V8 sets aside for young objects grow to 64 MiB. It would go up to 128 MiB once much is kept of what comes, as when a cache is filled, and stay there. With 32 MiB more is taken for
 * old that goes soon, and walks through thousands of objects took more CPU. V8 takes the largest size from the command line alone; how fast it grows it looks up each time.
 */
function boundYoung(): void {
  afterCollections.observe({ entryTypes: ["gc"] });
}

let grows = true;
/** One for the process, however often it is told. */
const afterCollections = new PerformanceObserver(() => {
  const mayGrow = 2 * youngSize() <= youngRoom;
  if (mayGrow === grows) return;
  grows = mayGrow;
  setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
});

function youngSize(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
  return space?.space_size ?? 0;
}

/** Of what may come on top of what was kept after the last time, in percent: when V8 begins as soon as it has time, and when at once. */
const [soon, atOnce] = [90, 97];

/**
 * Lets more come before V8 looks through the whole heap; young garbage is collected as always. Unless told, it begins 8 MiB after the last time where little is
 * kept of what comes, and counts what waits to be sent as if it were: with a cache that is read it marks the heap every two seconds, and whoever asks meanwhile waits up to 20 ms
 * longer. Where more than ten times that room may come, as when a large cache is filled, it begins a little earlier than it would.
 */
function markSeldom(): void {
  setFlagsFromString(`--incremental-marking-soft-trigger=${soon}`);
  setFlagsFromString(`--incremental-marking-hard-trigger=${atOnce}`);
}

/** Calls of a function before V8 compiles it well (TurboFan), which it counts by how much code they run; 3,000 unless told. */
const calls = 600;

/**
 * Has V8 compile sooner what is called often; in the background, as always. Most of what a request takes is called once for each, and is short: unless told, V8 has not compiled such a
 * function well after 20,000 calls; told so, it has after 1,300 to 3,200. In the first seconds more is compiled at once, on another processor.
 */
function optimizeSoon(): void {
  setFlagsFromString(`--invocation-count-for-turbofan=${calls}`);
}

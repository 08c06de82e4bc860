/** What V8 is told, for the whole process. */

import {
  constants,
  type PerformanceEntry,
  type PerformanceMeasure,
  PerformanceObserver,
} from "node:perf_hooks";
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";

/** Garbage is collected, and code compiled, as a server wants that keeps much and does the same for each request. */
export function tuneV8(): void {
  boundOld();
  collectYoungAlone();
  beginYoung();
  afterCollections.observe({ entryTypes: ["gc"] });
  optimizeSoon();
}

/**
 * Has young garbage collected by the thread that made it, alone. Unless told, V8 has others help, and the thread waits until all of them are done: where each processor has something to do,
 * until the last of them had one. With ten people who read pages, and two processors, the longest of 30 collections took 2.4 to 6.1 ms with help, 1.4 to 2.3 without, the usual one 0.9 and 0.7.
 */
function collectYoungAlone(): void {
  setFlagsFromString("--no-parallel-scavenge");
}

/**
 * Has every object begin as a young one. Unless told, V8 puts what is made where nearly all survived once into the room of old ones: what lists of a cluster are read into, or what is kept of pages, while a cache is
 * filled. Later the same code makes what is garbage at once, and each of these old ones keeps the request alive that it was made for, with all that it holds, until the whole heap is looked through: after 4,000
 * different pages each collection of young garbage took 5 ms, and so 1.3.
 */
function beginYoung(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}

/** One for the process, however often it is told. */
const afterCollections = new PerformanceObserver((list) => {
  boundYoung();
  if (list.getEntries().some(isOfWholeHeap)) boundOld();
});

function isOfWholeHeap(collection: PerformanceEntry): boolean {
  const { detail } = collection as Partial<PerformanceMeasure>; // which Node has, and its types do not
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

/** Of young objects, in bytes; V8 fills half of it before it collects them. */
const youngRoom = 32 * 1024 * 1024;

/**
 * Lets the room that V8 sets aside for young objects grow to 32 MiB. It would go up to 128 MiB once much is kept of what comes, as when a cache is filled, and stay
 * there. V8 takes the largest size from the command line alone; how fast it grows it looks up each time. It is told between two turns: where two collections
 * follow each other at once, it may grow to 64 MiB.
 */
function boundYoung(): void {
  const mayGrow = 2 * youngSize() <= youngRoom;
  if (mayGrow === grows) return;
  grows = mayGrow;
  setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
}

let grows = true;

function youngSize(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
  return space?.space_size ?? 0;
}

/** Of what was kept after the last time, in percent. */
const mayCome = { least: 40, most: 100 };

/** Between the two, in bytes. */
const usuallyComes = 48 * 1024 * 1024;

/**
 * Lets as much come as there is before V8 looks through the whole heap, but no more than 48 MiB, or two fifths where that is more; young garbage is collected as always. Unless told, V8
 * decides by how fast garbage comes: where little is kept of what comes it begins 8 MiB after the last time, every two seconds with a cache that is read, and after a cache was filled it lets
 * more come than this. What comes is also outside the heap, as what waits to be sent and the bytes of what changes, while what there is counts within the heap alone: with 200 changes a
 * second two fifths of 50 MB come every four seconds, and while V8 looks, those who ask wait longer. V8 begins while the room for young objects still fits into what may come, and goes on
 * beside everything else: told to begin at nine tenths (`--incremental-marking-soft-trigger`), it often had to collect all in one go, and stopped the process for ten times as long. It knows
 * how much may come when it has looked, and is told of what there is then for the time after.
 */
function boundOld(): void {
  const usual = Math.ceil((100 * usuallyComes) / getHeapStatistics().used_heap_size);
  const percent = Math.min(Math.max(usual, mayCome.least), mayCome.most);
  setFlagsFromString(`--heap-growing-percent=${percent}`);
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

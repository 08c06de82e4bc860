/** When code is compiled well. */

import { setFlagsFromString } from "node:v8";

/** Calls of a function before V8 compiles it well (TurboFan). */
const well = 600;

/**
 * Has V8 compile sooner what is called often, for the whole process; on other threads, as always. Unless told it waits for 3,000 calls, and for as many again after each time it finds that what it assumed no
 * longer holds, as when garbage is collected. What a request takes is called once or a few times for each, and so stays slow for thousands of them. To compile more takes some more of
 * another processor in the first seconds.
 */
export function optimizeSoon(): void {
  setFlagsFromString(`--invocation-count-for-turbofan=${well}`);
}

/** When garbage is collected. */

import { setFlagsFromString } from "node:v8";

/** Of what may come on top of what was kept after the last time, in percent: when V8 begins as soon as it has time, and when at once. */
const [soon, atOnce] = [90, 97];

/**
 * Lets more come before V8 looks through the whole heap, for the whole process; young garbage is collected as always. Unless told, it begins 8 MiB after the last time where little is
 * kept of what comes, and counts what waits to be sent as if it were: with a cache that is read it marks the heap every two seconds, and whoever asks meanwhile waits up to 20 ms
 * longer. Told so, it uses the room that it sets aside for young objects as well: some 60 MB more. Where more than ten times that room may come, as when a large cache is filled, it
 * begins a little earlier than it would.
 */
export function markSeldom(): void {
  setFlagsFromString(`--incremental-marking-soft-trigger=${soon}`);
  setFlagsFromString(`--incremental-marking-hard-trigger=${atOnce}`);
}

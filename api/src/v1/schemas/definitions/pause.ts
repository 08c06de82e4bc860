import type { Clock } from "kopf-ts";

/** Lets others have their turn when this one has lasted long enough. Called between small steps of long work. */
export type Pause = () => Promise<void>;

/** Milliseconds of work between two turns of the event loop. */
const SLICE = 5;

/** A pause for one piece of work. */
export function pauses(clock: Clock): Pause {
  let begun = clock.monotonic();
  return async () => {
    if (clock.monotonic() - begun < SLICE) return;
    await new Promise(setImmediate);
    begun = clock.monotonic();
  };
}

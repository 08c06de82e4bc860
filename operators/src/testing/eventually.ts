/** Waits for what a concern does on an API server. */

import { type EventuallyOptions, eventually as eventuallyWithin } from "kopf-ts/testing";

/** As that of kopf-ts, with the patience that a busy machine asks for: 3 s unless told, which is shorter than what holds things up when something is wrong. */
export function eventually<T>(
  look: () => T | Promise<T>,
  options: EventuallyOptions = {},
): Promise<Exclude<T, undefined | false>> {
  return eventuallyWithin(look, { within: 3_000, what: String(look), ...options });
}

export { aborted, never } from "./abort.ts";
export { alarms } from "./alarms.ts";
export { type BackoffOptions, exponential, fullJitter } from "./backoff.ts";
export { type Clock, sleeper, systemClock, type Timer } from "./clock.ts";
export { parseDuration } from "./duration.ts";
export { messageOf, PermanentError, TemporaryError, type TemporaryErrorOptions } from "./errors.ts";
export { Heap, type HeapItem } from "./heap.ts";
export { type Fields, type Logger, silentLogger } from "./logger.ts";
export { Slots } from "./slots.ts";

/** What a watch tells its consumer, and the states it goes through. */

import type { ScannedObject } from "./scan.ts";

/** Why a change is told: found by a list, or seen by the watch. */
export type ChangeType = "ADDED" | "MODIFIED" | "DELETED";

/**
 * Receives one resource's list and watch as one stream. Calls are synchronous and in order; between `begin` and `end` come the items
 * of a full list (the consumer marks what it sees and sweeps the rest at `end`), outside of them come changes; while a list is streamed
 * a DELETED change may come as well, of an item told before. A list that breaks off is followed by another `begin`. An exception ends the watch. The bytes belong to the watch and are valid only during the call: copy what is to stay.
 */
export interface WatchSink {
  begin(): void;
  /** An object of the list. */
  item(object: ScannedObject): void;
  /** The list is complete as of `resourceVersion`. */
  end(resourceVersion: string): void;
  /** A change; for DELETED the object is its last state. */
  change(type: ChangeType, object: ScannedObject): void;
  /** Everything up to `resourceVersion` has been told. */
  bookmark(resourceVersion: string): void;
  /** The state changed; not called twice for the same state and reason. */
  state(state: WatchState): void;
}

/** Where a watch is. `degraded` heals by itself; `reason` says what to do meanwhile. */
export type WatchState =
  | { readonly phase: "listing" }
  | { readonly phase: "live" }
  | {
      readonly phase: "degraded";
      /**
       * `Forbidden`, `NotFound`, `Unauthorized` or whatever reason the server gives; `Unreachable`, `Timeout`, `Untrusted`, `NoCredentials`
       * (no answer); `Closed` (the client was disposed: the watch has ended); `ConsumerFailed` (an informer's cache threw and waits to list anew); `Stalled` (the connection went silent), `ShortWatch` (watches end at once), `ListBroken` (a list breaks off), `Restored` (the server went back to an earlier state, which is listed anew), `BadAnswer` (not readable).
       */
      readonly reason: string;
      readonly message: string;
    };

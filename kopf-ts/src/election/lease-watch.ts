import type { Clock } from "../base/index.ts";
import type { Client } from "../kube/index.ts";
import { type ScannedObject, Watch, type WatchSink } from "../watch/index.ts";
import { Lease, type LeaseObject } from "./lease.ts";

/** Which lease to follow, and whom to tell. */
export interface LeaseWatchOptions {
  readonly namespace: string;
  readonly name: string;
  readonly clock: Clock;
  /** The lease as the server has it now. */
  readonly onLease: (lease: LeaseObject) => void;
}

/**
 * Tells every change of the lease until the signal aborts; never rejects. A hint, no more: an election works without it (nobody may watch
 * leases, the connection is down), only a released lease is then found at the next attempt instead of at once.
 */
export async function followLease(
  client: Client,
  { namespace, name, clock, onLease }: LeaseWatchOptions,
  signal: AbortSignal,
): Promise<void> {
  const see = ({ bytes, start, end }: ScannedObject): void => {
    onLease(JSON.parse(bytes.toString("utf8", start, end)) as LeaseObject); // the watch is on leases
  };
  const sink: WatchSink = {
    begin: () => undefined,
    item: see,
    end: () => undefined,
    change: (type, object) => {
      if (type !== "DELETED") see(object);
    },
    bookmark: () => undefined,
    state: () => undefined,
  };
  const options = { namespace, fieldSelector: `metadata.name=${name}`, clock };
  await new Watch(client, Lease, sink, options).start(signal);
}

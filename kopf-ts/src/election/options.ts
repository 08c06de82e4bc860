import { hostname } from "node:os";
import type { Clock, Logger } from "../base/index.ts";
import type { ObjectRef } from "../kube/index.ts";
import type { ElectionMetrics } from "../observe/index.ts";

/** How long things take; all milliseconds. */
export interface ElectionTiming {
  /** How long candidates wait after the last renewal they saw; 15,000 unless told. */
  readonly leaseDuration?: number;
  /** How long the leader tries to renew before it gives up; 10,000 unless told. */
  readonly renewDeadline?: number;
  /** Between attempts; 2,000 unless told. */
  readonly retryPeriod?: number;
}

/** Options of LeaderElection. */
export interface ElectionOptions extends ElectionTiming {
  /** Where the Lease is. */
  readonly namespace: string;
  readonly name: string;
  /** Names this process in the Lease; the host's name and a random id unless told. Need not be unique: a term is told apart by its times. */
  readonly identity?: string;
  /** Milliseconds that a clean stop gives the release of the lease; 5,000 unless told. */
  readonly releaseTimeout?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly metrics?: ElectionMetrics;
  /** Records who leads as Events on the Lease. */
  readonly events?: LeaseEvents;
}

/** The part of an event recorder that an election uses. */
export interface LeaseEvents {
  event(
    object: ObjectRef,
    event: { readonly type: "Normal"; readonly reason: string; readonly message: string },
  ): void;
}

/** client-go's JitterFactor. */
const jitter = 1.2;

/** The timing with its defaults; throws a TypeError unless lease > renew > retry x 1.2 > 0, as client-go demands. */
export function checkedTiming(timing: ElectionTiming): Required<ElectionTiming> {
  const { leaseDuration = 15_000, renewDeadline = 10_000, retryPeriod = 2000 } = timing;
  if (!(retryPeriod > 0)) throw new TypeError(`retryPeriod must be above 0, not ${retryPeriod}`);
  if (!(renewDeadline > retryPeriod * jitter)) {
    throw new TypeError(
      `renewDeadline (${renewDeadline} ms) must be longer than retryPeriod x ${jitter} (${retryPeriod * jitter} ms)`,
    );
  }
  if (!(leaseDuration > renewDeadline)) {
    throw new TypeError(
      `leaseDuration (${leaseDuration} ms) must be longer than renewDeadline (${renewDeadline} ms)`,
    );
  }
  return { leaseDuration, renewDeadline, retryPeriod };
}

/** `<host name>_<uuid>`, as controller-runtime names its managers. */
export function defaultIdentity(): string {
  return `${hostname()}_${crypto.randomUUID()}`;
}

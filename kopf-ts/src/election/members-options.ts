import { hostname } from "node:os";
import type { Clock, Logger } from "../base/index.ts";

/** How long things take; all milliseconds. */
export interface MembersTiming {
  /** How long the others wait after the last renewal they saw before a member is gone; 30,000 unless told. Written in whole seconds. */
  readonly leaseDuration?: number;
  /** How long after the start of its last renewal a process still counts itself in; 20,000 unless told. */
  readonly renewDeadline?: number;
  /** Between renewals; 10,000 unless told. */
  readonly renewPeriod?: number;
  /** Between attempts after a failure; 2,000 unless told. */
  readonly retryPeriod?: number;
}

/** Options of Members. */
export interface MembersOptions extends MembersTiming {
  /** Where the Leases are. */
  readonly namespace: string;
  /** Names the group: value of label `kopf-ts.dev/members` on each Lease, and the beginning of its name. */
  readonly group: string;
  /** Names this process among the members; the host's name and a random part unless told. No two processes may share one at a time. */
  readonly id?: string;
  /** Milliseconds that a clean stop gives the deletion of the lease; 5,000 unless told. */
  readonly releaseTimeout?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** On the Leases of a group's members: the name of the group. */
export const membersLabel = "kopf-ts.dev/members";

/** The timing with its defaults; throws a TypeError unless leaseDuration > renewDeadline > renewPeriod > 0. */
export function checkedMembersTiming(timing: MembersTiming): Required<MembersTiming> {
  const {
    leaseDuration = 30_000,
    renewDeadline = 20_000,
    renewPeriod = 10_000,
    retryPeriod = 2000,
  } = timing;
  if (leaseDuration > renewDeadline && renewDeadline > renewPeriod && renewPeriod > 0) {
    return { leaseDuration, renewDeadline, renewPeriod, retryPeriod };
  }
  throw new TypeError(
    `leaseDuration (${leaseDuration} ms) must be longer than renewDeadline (${renewDeadline} ms), and that longer than renewPeriod (${renewPeriod} ms)`,
  );
}

/** `<host name>-<8 hex digits>`, fit for the name of an object. */
export function defaultMemberId(host: string = hostname()): string {
  const fit = host
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, "");
  return [fit, crypto.randomUUID().slice(0, 8)].filter(Boolean).join("-");
}

/** The record of an election: a coordination.k8s.io/v1 Lease, in the form client-go writes it (client-go: tools/leaderelection). */

import { defineKind, type Kind, type KubeObject } from "../kube/index.ts";

/** A Lease; times are RFC 3339 with microseconds and are written for people, never judged. */
export interface LeaseObject extends KubeObject {
  readonly spec?: {
    /** Empty once released. */
    readonly holderIdentity?: string | null;
    readonly leaseDurationSeconds?: number | null;
    readonly acquireTime?: string | null;
    readonly renewTime?: string | null;
    /** How often the lease has changed hands; grows with every acquisition. */
    readonly leaseTransitions?: number | null;
  };
}

/** The kind of an election's record. */
export const Lease: Kind<LeaseObject> = defineKind<LeaseObject>({
  group: "coordination.k8s.io",
  version: "v1",
  plural: "leases",
  kind: "Lease",
  scope: "Namespaced",
});

/** What a holder writes when it acquires. */
export interface Term {
  readonly identity: string;
  /** Milliseconds; written rounded up to seconds, so that candidates never wait too short. */
  readonly leaseDuration: number;
  readonly acquireTime: string;
  readonly transitions: number;
}

/** RFC 3339 with microseconds. The last three digits are random: two terms of one identity differ even within a millisecond. */
export function microTime(now: number, random: () => number = Math.random): string {
  const digits = String(Math.floor(random() * 1000)).padStart(3, "0");
  return new Date(now).toISOString().replace("Z", `${digits}Z`);
}

/** The lease as the holder of `term` writes it; everything that is not the election's stays. */
export function heldLease(
  base: LeaseObject | { readonly namespace: string; readonly name: string },
  term: Term,
  renewTime: string,
): LeaseObject {
  const spec = {
    holderIdentity: term.identity,
    leaseDurationSeconds: Math.ceil(term.leaseDuration / 1000),
    acquireTime: term.acquireTime,
    renewTime,
    leaseTransitions: term.transitions,
  };
  if ("metadata" in base) return { ...base, spec: { ...base.spec, ...spec } };
  const { namespace, name } = base;
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { namespace, name },
    spec,
  };
}

/** The lease as its holder leaves it: nobody holds it, and it is over at once (client-go: release). */
export function releasedLease(lease: LeaseObject, now: string): LeaseObject {
  const spec = { holderIdentity: "", leaseDurationSeconds: 1, renewTime: now, acquireTime: now };
  return { ...lease, spec: { ...lease.spec, ...spec } };
}

/** Who holds the lease; undefined for a released or empty one. */
export function holderOf(lease: LeaseObject | undefined): string | undefined {
  const holder = lease?.spec?.holderIdentity;
  return holder === undefined || holder === null || holder === "" ? undefined : holder;
}

/** How often the lease has changed hands. */
export function transitionsOf(lease: LeaseObject | undefined): number {
  return lease?.spec?.leaseTransitions ?? 0;
}

/** Whether the lease was written under exactly this term; another process of the same identity has another. */
export function isOfTerm(lease: LeaseObject, term: Term): boolean {
  return (
    holderOf(lease) === term.identity &&
    transitionsOf(lease) === term.transitions &&
    lease.spec?.acquireTime === term.acquireTime
  );
}

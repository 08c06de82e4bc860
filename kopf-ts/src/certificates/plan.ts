/** Decides what is to be done about certificates; pure. Times are milliseconds. */

import type { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { type Authority, issuerOf, type Read, type Serving } from "./contents.ts";

/** How long things last. */
export interface Lifetimes {
  readonly authority: number;
  readonly serving: number;
  /** A certificate is renewed when a third of its life is left, or this. */
  readonly renewBefore: number;
  /** What API servers get to notice a change of the configurations, before anybody serves what only the new ones trust. */
  readonly settle: number;
  /** For so long a former authority stays trusted after the last certificate of it was replaced: replicas notice at different times. */
  readonly overlap: number;
}

const day = 24 * 3_600_000;

/** Ten years for the authority, one for the certificate. */
export const usualLifetimes: Lifetimes = {
  authority: 3650 * day,
  serving: 365 * day,
  renewBefore: 30 * day,
  settle: 30_000,
  overlap: day,
};

/** What the decision follows from. */
export interface Situation {
  readonly authority: Read<Authority>;
  readonly serving: Read<Serving>;
  /** What this process presents now, whatever the Secrets hold. */
  readonly presented: Serving | undefined;
  /** That the serving certificate must be good for. */
  readonly names: readonly string[];
  /** Since when the configurations trust the authority; undefined while they do not. */
  readonly trustedSince: number | undefined;
  readonly now: number;
  readonly lifetimes: Lifetimes;
}

/** What to do next, and why; after `nothing`, to look again at this time. */
export type Step =
  | { readonly do: "authority" | "serving"; readonly reason: string; readonly broken: boolean }
  | { readonly do: "trim"; readonly bundle: readonly X509Certificate[] }
  | { readonly do: "nothing"; readonly until: number };

/** Never lets a certificate be served before the configurations trust its authority, unless the former is of no use any more. */
export function plan(situation: Situation): Step {
  const { authority, now, lifetimes } = situation;
  if ("fault" in authority) return { do: "authority", reason: authority.fault, broken: true };
  const { certificate } = authority.found;
  if (now >= endOf(certificate)) return { do: "authority", reason: "it has expired", broken: true };
  if (now >= renewalOf(certificate, lifetimes)) {
    return { do: "authority", reason: "it expires soon", broken: false };
  }
  return planServing(authority.found, situation);
}

function planServing(authority: Authority, situation: Situation): Step {
  const { serving, presented, now, lifetimes, trustedSince } = situation;
  const fault = servingFault(serving, authority, now);
  const due = fault ?? dueReason(serving, authority, situation);
  if (due === undefined) return planTrim(authority, situation);
  const settled = (trustedSince ?? now) + lifetimes.settle;
  if (canWait(presented, authority, now) && now < settled) return { do: "nothing", until: settled };
  return { do: "serving", reason: due, broken: fault !== undefined };
}

/** Who trusts what is presented will trust what the same authority signs next: for that nobody needs to wait. */
function canWait(
  presented: Serving | undefined,
  { certificate: authority }: Authority,
  now: number,
): boolean {
  if (presented === undefined || !isAlive(presented, now)) return false;
  return issuerOf(presented.certificate, [authority]) === undefined;
}

/** Why nobody could be served with it; undefined when all is well. */
export function servingFault(
  serving: Read<Serving>,
  { bundle }: Authority,
  now: number,
): string | undefined {
  if ("fault" in serving) return serving.fault;
  if (!isAlive(serving.found, now)) return "it has expired";
  if (issuerOf(serving.found.certificate, bundle) === undefined) {
    return "it is of an authority that is not ours";
  }
  return undefined;
}

function dueReason(
  serving: Read<Serving>,
  { certificate: authority }: Authority,
  { now, names, lifetimes }: Situation,
): string | undefined {
  if ("fault" in serving) return serving.fault;
  const { certificate } = serving.found;
  if (!names.every((name) => isFor(certificate, name))) return "it is for other names";
  if (now >= renewalOf(certificate, lifetimes)) return "it expires soon";
  if (issuerOf(certificate, [authority]) === undefined) return "there is a new authority";
  return undefined;
}

/** Former authorities go when nobody can serve a certificate of theirs any more. */
function planTrim(authority: Authority, { serving, now, lifetimes }: Situation): Step {
  const next = Math.min(
    renewalOf(authority.certificate, lifetimes),
    renewalOfServing(serving, lifetimes),
  );
  if (authority.bundle.length === 1) return { do: "nothing", until: next };
  const until = "found" in serving ? beginOf(serving.found.certificate) + lifetimes.overlap : now;
  const isOver = (each: X509Certificate): boolean => now >= until || now >= endOf(each);
  const kept = authority.bundle.filter((each, at) => at === 0 || !isOver(each));
  if (kept.length < authority.bundle.length) return { do: "trim", bundle: kept };
  return { do: "nothing", until: Math.min(next, until) };
}

/** Whether the certificate is good for a DNS name or an IP address. */
function isFor(certificate: X509Certificate, name: string): boolean {
  const found = isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name);
  return found !== undefined;
}

function isAlive({ certificate }: Serving, now: number): boolean {
  return now < endOf(certificate);
}

function renewalOfServing(serving: Read<Serving>, lifetimes: Lifetimes): number {
  return "found" in serving
    ? renewalOf(serving.found.certificate, lifetimes)
    : Number.POSITIVE_INFINITY;
}

/** When a certificate is due to be renewed. */
export function renewalOf(certificate: X509Certificate, { renewBefore }: Lifetimes): number {
  const end = endOf(certificate);
  return end - Math.min(renewBefore, (end - beginOf(certificate)) / 3);
}

function beginOf({ validFrom }: X509Certificate): number {
  return Date.parse(validFrom);
}

function endOf({ validTo }: X509Certificate): number {
  return Date.parse(validTo);
}

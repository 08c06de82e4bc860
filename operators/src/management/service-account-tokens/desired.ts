/** Which Secrets nobody refers to. Pure. */

import { referredSecret, tokenType } from "@drover/platform";
import type { Secret, ServiceAccount } from "kopf-ts/kinds";

/** What a pass does about the Secrets it sees. */
export interface Sorted {
  /** Old enough that whoever made them would have referred to them. */
  readonly stale: readonly Secret[];
  /** Unreferred to, but perhaps only not yet. */
  readonly young: readonly Secret[];
}

/** Milliseconds that a Secret has until its ServiceAccount refers to it. */
export const graceOf = 60_000;

/** Sorts token Secrets of one namespace by what its ServiceAccounts refer to; others are in neither list. */
export function sort(
  secrets: readonly Secret[],
  accounts: readonly ServiceAccount[],
  now: number,
): Sorted {
  const referred = new Set(accounts.map(referredSecret));
  const unreferred = secrets.filter(
    ({ type, metadata }) =>
      type === tokenType &&
      metadata.deletionTimestamp === undefined &&
      !referred.has(metadata.name),
  );
  const isYoung = ({ metadata: { creationTimestamp = "" } }: Secret): boolean =>
    !(now - Date.parse(creationTimestamp) >= graceOf); // also when nobody knows its age
  return {
    stale: unreferred.filter((secret) => !isYoung(secret)),
    young: unreferred.filter(isYoung),
  };
}

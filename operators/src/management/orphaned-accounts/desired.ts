/** Whose account a system user is. */

import { isObjectName, type User } from "@drover/crds";
import { isSystemUser } from "@drover/platform";
import { accountPrefixes } from "./names.ts";

/** What a system account works for. */
export interface Subject {
  readonly of: "cluster" | "project";
  readonly name: string;
}

/** The cluster or project that the user works for; undefined for people, and for accounts that do not say. */
export function subjectOf(user: User): Subject | undefined {
  if (!isSystemUser(user)) return undefined;
  const text = user.displayName ?? "";
  for (const of of ["cluster", "project"] as const) {
    const name = text.startsWith(accountPrefixes[of]) ? text.slice(accountPrefixes[of].length) : "";
    if (isObjectName(name)) return { of, name };
  }
  return undefined;
}

/** The subject as one text, for indexes. */
export function keyOfSubject({ of, name }: Subject): string {
  return `${of}/${name}`;
}

/** Whoever makes an account and its cluster gets this long, in milliseconds. */
const grace = 3_600_000;

/** When an account may be called orphaned, in milliseconds since the epoch; infinity for one without a date. */
export function judgedFrom({ metadata }: User): number {
  const created = Date.parse(metadata.creationTimestamp ?? "");
  return Number.isNaN(created) ? Number.POSITIVE_INFINITY : created + grace;
}

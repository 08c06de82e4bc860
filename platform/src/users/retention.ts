/** When inactive users are disabled and deleted (rancher: pkg/auth/userretention). */

import type { User, UserAttribute } from "@drover/crds";
import { parseDuration } from "kopf-ts";
import { isTime, type LiveSettings } from "../settings/index.ts";
import { isSystemPrincipal } from "./principals.ts";

/** What the settings say. Milliseconds; 0 for never. */
export interface RetentionRules {
  readonly disableAfter: number;
  readonly deleteAfter: number;
  /** Since the epoch: when users logged in last of whom that is not known; undefined leaves these out. */
  readonly lastLoginDefault: number | undefined;
}

/** Of one user, in milliseconds since the epoch; what is absent never comes. */
export interface RetentionTimes {
  readonly lastLogin?: number;
  readonly disableAt?: number;
  readonly deleteAt?: number;
}

/** The rules that count now. */
export function retentionRules(settings: LiveSettings): RetentionRules {
  return {
    disableAfter: settings.milliseconds("disable-inactive-user-after") ?? 0,
    deleteAfter: settings.milliseconds("delete-inactive-user-after") ?? 0,
    lastLoginDefault: afterEpoch(timeOf(settings.text("user-last-login-default"))),
  };
}

/** Whether the user is the default admin, who is never disabled or deleted for being away. */
export function isDefaultAdmin({ username }: User): boolean {
  return username === "admin";
}

/** Whether the user is a system account. */
export function isSystemUser({ principalIds }: User): boolean {
  return (principalIds ?? []).some(isSystemPrincipal);
}

/**
 * When the user becomes due. Without a UserAttribute nothing is known of it, and it is left alone; so is a system account. The default admin has a
 * last login only. An override of the user comes before the setting, but only where the setting is on; 0 exempts the user, and so does what cannot
 * be read, since nobody is to be deleted for a slip of the pen.
 */
export function retentionTimes(
  user: User,
  attribute: UserAttribute | undefined,
  { disableAfter, deleteAfter, lastLoginDefault }: RetentionRules,
): RetentionTimes {
  if (attribute === undefined || isSystemUser(user)) return {};
  const lastLogin = lastLoginOf(attribute, lastLoginDefault);
  if (lastLogin === undefined) return {};
  if (isDefaultAdmin(user)) return { lastLogin };
  const disable = lengthOf(attribute.disableAfter, disableAfter);
  const remove = lengthOf(attribute.deleteAfter, deleteAfter);
  return {
    lastLogin,
    ...(disable > 0 ? { disableAt: toSeconds(lastLogin + disable) } : {}),
    ...(remove > 0 ? { deleteAt: toSeconds(lastLogin + remove) } : {}),
  };
}

/** Nobody logs in before the epoch: Go writes a time that was never set as one of the year 1. */
function lastLoginOf(
  { lastLogin }: UserAttribute,
  fallback: number | undefined,
): number | undefined {
  if (!lastLogin) return fallback;
  const time = timeOf(lastLogin);
  return time === undefined ? undefined : (afterEpoch(time) ?? fallback);
}

function afterEpoch(time: number | undefined): number | undefined {
  return time !== undefined && time > 0 ? time : undefined;
}

function lengthOf(override: string | undefined, setting: number): number {
  if (setting <= 0 || !override) return setting;
  return Math.max(0, parseDuration(override) ?? 0);
}

/** Strict, since Date.parse makes a time of nearly everything, and some of them in the zone of this machine. */
function timeOf(text: unknown): number | undefined {
  return typeof text === "string" && isTime(text) ? Date.parse(text) : undefined;
}

function toSeconds(time: number): number {
  return Math.floor(time / 1_000) * 1_000;
}

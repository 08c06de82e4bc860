/** When the value of a registration token is replaced (rancher: pkg/controllers/dashboard/clusterregistrationtoken). Pure. */

import { createHash } from "node:crypto";
import type { ClusterRegistrationTokenSpec } from "@drover/crds";
import { generateKey, type RegistrationValues } from "@drover/platform";

const minute = 60_000;
const hour = 60 * minute;

/** Lives in milliseconds. */
export interface Lives {
  /** Undefined: the value never ends. */
  readonly ttl: number | undefined;
  /** For which a replaced value still counts. */
  readonly grace: number;
}

/** What lives a token may have, in minutes. */
export interface Defaults {
  readonly ttl: number;
  readonly grace: number;
}

const [shortestTtl, shortestGrace] = [30, 10];
/** Of the ttl: a grace that would be as long or longer. */
const graceShare = 0.8;

/** What a token asks for, or else the settings, within bounds. A ttl of 0 or less never ends; a grace as long as the ttl is cut to 80 % of it. */
export function livesOf(
  { ttl: askedTtl, gracePeriod }: Pick<ClusterRegistrationTokenSpec, "ttl" | "gracePeriod">,
  defaults: Defaults,
): Lives {
  const asked = askedTtl ?? defaults.ttl;
  const grace = Math.max(gracePeriod ?? defaults.grace, shortestGrace) * minute;
  if (asked <= 0) return { ttl: undefined, grace };
  const ttl = Math.max(asked, shortestTtl) * minute;
  return { ttl, grace: grace < ttl ? grace : ttl * graceShare };
}

/** What rotation depends on. */
export interface RotationInput {
  /** What is stored; undefined for nothing. */
  readonly values: RegistrationValues | undefined;
  readonly lives: Lives;
  /** Whether values are replaced at all. */
  readonly isOn: boolean;
  /** Of the token: its uid, and when it was created. */
  readonly uid: string;
  readonly created: number;
  readonly now: number;
}

/**
 * What should be stored now; the very same object when that is what is stored. A value past its end becomes the previous one, which counts until the
 * grace has passed, whether rotation is on by then or not. While it is off, nothing else changes.
 */
export function rotated(input: RotationInput): RegistrationValues {
  const { values, lives, isOn, now } = input;
  const current = values ?? { token: generateKey() };
  const kept = withoutPast(current, now);
  if (!isOn) return kept;
  if (kept.expiresAt === undefined || !isDue(kept, input)) return scheduled(kept, input);
  const previous = { token: kept.token, expiresAt: wholeSecond(now + lives.grace) };
  const token = generateKey();
  return { token, previous, expiresAt: endOf(token.reveal(), now, input) };
}

/** Milliseconds since the epoch at which there is something to do; undefined for never. */
export function nextChange(
  { expiresAt, previous }: RegistrationValues,
  isOn: boolean,
): number | undefined {
  const times = [isOn ? expiresAt : undefined, previous?.expiresAt].filter(
    (time) => time !== undefined,
  );
  return times.length === 0 ? undefined : Math.min(...times);
}

function withoutPast(values: RegistrationValues, now: number): RegistrationValues {
  if (values.previous === undefined || now < values.previous.expiresAt) return values;
  const { previous: _, ...rest } = values;
  return rest;
}

function isDue({ expiresAt = Number.POSITIVE_INFINITY }: RegistrationValues, input: RotationInput) {
  return input.lives.ttl !== undefined && input.now >= expiresAt;
}

/** With an end, where values have one; an end that is further away than any life allows is from a longer one. */
function scheduled(values: RegistrationValues, input: RotationInput): RegistrationValues {
  const { lives, now, created } = input;
  const { token, expiresAt } = values;
  if (lives.ttl === undefined) {
    return expiresAt === undefined ? values : { ...values, expiresAt: undefined };
  }
  if (expiresAt !== undefined && expiresAt <= now + lives.ttl + longestJitter(lives.ttl))
    return values;
  const fromCreation = endOf(token.reveal(), created, input);
  const isLeft = fromCreation !== undefined && fromCreation > now;
  const end = isLeft ? fromCreation : endOf(token.reveal(), now, input);
  return end === expiresAt ? values : { ...values, expiresAt: end };
}

/** RFC 3339 has four digits for the year; what would end later never does. */
const lastInstant = Date.UTC(9999, 11, 31);

function endOf(
  value: string,
  start: number,
  { lives: { ttl = 0 }, uid }: RotationInput,
): number | undefined {
  const end = wholeSecond(start + ttl + longestJitter(ttl) * chance(`${uid}:${value}`));
  return end > lastInstant ? undefined : end;
}

/** Spreads the ends of tokens that were made at once, so that agents do not all come back in one minute. */
function longestJitter(ttl: number): number {
  return Math.min(ttl / 10, 24 * hour);
}

/** From 0 to 1, always the same for a text. */
function chance(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE(0) / 2 ** 32;
}

/** As it is stored. */
function wholeSecond(time: number): number {
  return Math.floor(time / 1000) * 1000;
}

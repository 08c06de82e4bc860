/** The value that counts now. Reading never waits: sources are what the caller has at hand. */

import type { Setting } from "@drover/crds";
import { parseDuration } from "kopf-ts";
import { type SettingName, settings } from "./settings.ts";
import { complaintOf, parseNumber, parseSize } from "./value.ts";

/** Environment variables by name, as process.env has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the value of one setting may come from. */
export interface Sources {
  readonly env: Environment;
  /** The Setting of that name, if there is one. */
  readonly object?: Setting | undefined;
}

/** Where a value came from: environment, the object's value, its default, or the table. */
export type SettingSource = "env" | "db" | "default" | "fallback";

/** A value and where it came from. */
export interface Resolved {
  readonly value: string;
  readonly source: SettingSource;
}

/** The environment variable that overrides a setting: CATTLE_SERVER_URL for server-url. */
export function environmentName(name: string): string {
  return `CATTLE_${name.toUpperCase().replaceAll("-", "_")}`;
}

/** What the environment says of a setting; an empty variable says nothing. */
export function environmentValue(name: string, env: Environment): string | undefined {
  return env[environmentName(name)] || undefined;
}

/** The value that counts: environment, value, default, table, in that order; what is empty is passed over. */
export function settingValue(name: SettingName, { env, object }: Sources): Resolved {
  const fromEnv = environmentValue(name, env);
  if (fromEnv !== undefined) return { value: fromEnv, source: "env" };
  if (object?.value) return { value: object.value, source: "db" };
  if (object?.default) return { value: object.default, source: "default" };
  return { value: defaultOf(name, env), source: "fallback" };
}

/** The table's default, or what the variable that replaces it says. */
export function defaultOf(name: SettingName, env: Environment): string {
  const { defaultFrom, default: ofTable } = settings[name];
  return (defaultFrom === undefined ? undefined : env[defaultFrom]) || ofTable;
}

/**
 * The number of a setting of kind number, in its own unit. A value that is none (it may be older than admission) counts as
 * the default does (rancher: pkg/settings, GetInt).
 */
export function numberOf(name: SettingName, sources: Sources): number {
  const { kind } = settings[name];
  if (kind.type !== "number") throw new TypeError(`setting ${name} is no number`);
  return parseNumber(settingValue(name, sources).value, kind) ?? Number(settings[name].default);
}

/** Whether a setting of kind boolean is true; anything but true and false counts as the default does. */
export function booleanOf(name: SettingName, sources: Sources): boolean {
  const { kind, default: fallback } = settings[name];
  if (kind.type !== "boolean") throw new TypeError(`setting ${name} is no boolean`);
  const { value } = settingValue(name, sources);
  return (complaintOf(value, kind) === undefined ? value : fallback) === "true";
}

/** Bytes of a setting of kind size, rounded down; a value that is none counts as the default does. */
export function bytesOf(name: SettingName, sources: Sources): number {
  const { kind, default: fallback } = settings[name];
  if (kind.type !== "size") throw new TypeError(`setting ${name} is no size`);
  const { value } = settingValue(name, sources);
  return parseSize(complaintOf(value, kind) === undefined ? value : fallback);
}

const units = { seconds: 1_000, minutes: 60_000, days: 86_400_000 } as const;

/** Milliseconds of a setting that is a duration or counts seconds, minutes or days; undefined for an empty or unreadable one. */
export function millisecondsOf(name: SettingName, sources: Sources): number | undefined {
  const { kind, default: fallback } = settings[name];
  if (kind.type === "number" && kind.unit !== undefined) {
    return numberOf(name, sources) * units[kind.unit];
  }
  if (kind.type !== "duration") throw new TypeError(`setting ${name} is no length of time`);
  const { value } = settingValue(name, sources);
  return complaintOf(value, kind) === undefined ? parseDuration(value) : parseDuration(fallback);
}

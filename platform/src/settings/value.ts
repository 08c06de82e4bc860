/** What a value of each kind looks like. Rules return what is wrong as the end of a sentence, or undefined. */

import { parseDuration } from "kopf-ts";
import type { ValueKind } from "./spec.ts";

/** What is wrong with a value, as the end of a sentence ("must be ..."). */
type Complaint = string | undefined;
type Rule<T extends ValueKind["type"]> = (
  value: string,
  kind: Extract<ValueKind, { readonly type: T }>,
) => Complaint;

const sizeShape = /^(\d+(?:\.\d+)?)([KMGT]i?|k)?$/;

const rules: { readonly [T in ValueKind["type"]]: Rule<T> } = {
  text: () => undefined,
  list: () => undefined,
  boolean: (value) => unless(value === "true" || value === "false", "must be true or false"),
  duration: (value) =>
    unless(
      (parseDuration(value) ?? -1) >= 0,
      "must be a duration that is not negative, such as 240h",
    ),
  cron: (value) =>
    unless(isCron(value), "must be a cron expression of five fields, such as 0 0 * * 0"),
  time: (value) =>
    unless(isTime(value), "must be a time in RFC 3339, such as 2023-11-29T00:00:00Z"),
  json: (value) => unless(parseJson(value) !== undefined, "must be JSON"),
  url: (value) => unless(isUrl(value), "must be an http or https URL"),
  size: (value, { min, max }) =>
    unless(
      parseSize(value) >= parseSize(min) && parseSize(value) <= parseSize(max),
      `must be a size in bytes from ${min} to ${max}, such as 1Mi`,
    ),
  choice: (value, { choices }) =>
    unless(choices.includes(value), `must be one of ${choices.join(", ")}`),
  number: (value, kind) =>
    parseNumber(value, kind) === undefined
      ? `must be a ${kind.fractions ? "number" : "whole number"} of at least ${kind.min}`
      : undefined,
  "priority-class": priorityClassComplaint,
  "pod-disruption-budget": budgetComplaint,
};

/** What is wrong with a value of this kind, as the end of a sentence; undefined if nothing is. The empty value is not asked about. */
export function complaintOf(value: string, kind: ValueKind): string | undefined {
  // The table has for each type the rule of that type; the compiler cannot follow the two together.
  const rule = rules[kind.type] as (value: string, kind: ValueKind) => Complaint;
  return rule(value, kind);
}

/** Whole bytes that a text is, such as `1Mi` or `0.5G`; NaN for anything else. */
export function parseSize(text: string): number {
  const [, digits = "NaN", unit = ""] = sizeShape.exec(text) ?? [];
  const power = ["", "K", "M", "G", "T"].indexOf(unit.charAt(0).toUpperCase());
  return Math.floor(Number(digits) * (unit.endsWith("i") ? 1024 : 1000) ** power);
}

/** The number that a text is for this kind; undefined for anything else. */
export function parseNumber(
  value: string,
  { min, fractions = false }: { readonly min: number; readonly fractions?: boolean },
): number | undefined {
  const pattern = fractions ? /^[+-]?\d+(\.\d+)?$/ : /^[+-]?\d+$/;
  if (!pattern.test(value)) return undefined;
  const number = Number(value);
  return number >= min && number <= Number.MAX_SAFE_INTEGER ? number : undefined;
}

const rfc3339 =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Whether a text is a time in RFC 3339 on a day that exists. */
export function isTime(text: string): boolean {
  const match = rfc3339.exec(text);
  if (match === null) return false;
  const [year, month, day] = match.slice(1, 4).map(Number);
  // Date takes February 30 for March 2.
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day));
  return date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
}

interface CronField {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const cronFields: readonly CronField[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: weekdays },
];

/** The standard form of upstream's parser (robfig/cron): five fields or one of its @ words. */
function isCron(text: string): boolean {
  if (/^@(yearly|annually|monthly|weekly|daily|midnight|hourly)$/.test(text)) return true;
  if (text.startsWith("@every ")) return (parseDuration(text.slice(7)) ?? 0) > 0;
  const parts = text.trim().split(/\s+/);
  return (
    parts.length === cronFields.length &&
    cronFields.every((field, i) =>
      (parts[i] ?? "").split(",").every((part) => inField(part, field)),
    )
  );
}

function inField(part: string, field: CronField): boolean {
  const [range = "", step, ...rest] = part.split("/");
  if (rest.length > 0 || (step !== undefined && !/^0*[1-9]\d*$/.test(step))) return false;
  if (range === "*" || range === "?") return true;
  const ends = range.split("-").map((end) => cronNumber(end, field));
  const [low = -1, high = low] = ends;
  return ends.length <= 2 && low >= field.min && high <= field.max && low <= high;
}

function cronNumber(text: string, { min, names = [] }: CronField): number {
  const named = names.indexOf(text.toLowerCase());
  if (named !== -1) return named + min;
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

function isUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === "https:" || url.protocol === "http:");
}

/** Parsed JSON; undefined for what is none. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function jsonFields(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return { ...value };
}

function priorityClassComplaint(text: string): Complaint {
  const fields = jsonFields(text);
  if (fields === undefined) return "must be a JSON object";
  const { value = 0, preemptionPolicy = "" } = fields;
  if (!Number.isInteger(value) || Math.abs(Number(value)) > 1_000_000_000) {
    return "must have a whole number from -1000000000 to 1000000000 as value";
  }
  return unless(
    ["", "Never", "PreemptLowerPriority"].includes(String(preemptionPolicy)),
    "must have Never or PreemptLowerPriority as preemptionPolicy",
  );
}

function budgetComplaint(text: string): Complaint {
  const fields = jsonFields(text);
  if (fields === undefined) return "must be a JSON object";
  const { minAvailable = "", maxUnavailable = "" } = fields;
  for (const [name, amount] of Object.entries({ minAvailable, maxUnavailable })) {
    if (typeof amount !== "string" || !/^(\d+|(\d|[1-9]\d|100)%)?$/.test(amount)) {
      return `must have a number or a percentage as text as ${name}`;
    }
  }
  const given = [minAvailable, maxUnavailable].filter((amount) => amount !== "");
  const counted = given.filter((amount) => amount !== "0");
  return unless(
    given.length > 0 && counted.length < 2,
    "must have minAvailable or maxUnavailable, and not both other than 0",
  );
}

function unless(holds: boolean, complaint: string): Complaint {
  return holds ? undefined : complaint;
}

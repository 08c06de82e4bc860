/**
 * Conditions of a namespace: JSON in one annotation that several controllers write (rancher: pkg/namespace). Each changes its own conditions
 * only, and sends the resourceVersion along, so that what another wrote meanwhile is a conflict and not lost. Pure.
 */

import type { KubeObject } from "kopf-ts";
import { namespaceAnnotations } from "./namespace-names.ts";

/** A condition as the annotation has it. */
export interface NamespaceCondition {
  readonly Type: string;
  readonly Status: "False" | "True" | "Unknown";
  readonly Message: string;
  /** RFC 3339. */
  readonly LastUpdateTime: string;
}

/** What a controller says about one condition. */
export interface NamespaceConditionUpdate {
  readonly type: string;
  readonly status: NamespaceCondition["Status"];
  readonly message?: string;
}

/** The conditions that a namespace has; none where the annotation cannot be read. */
export function namespaceConditions({ metadata }: KubeObject): readonly NamespaceCondition[] {
  return conditionsIn(read(metadata.annotations?.[namespaceAnnotations.status]));
}

/**
 * The annotation that says this besides all that it says already, the very same text when it does. Times move with what is said. An annotation that cannot
 * be read is replaced.
 */
export function namespaceStatus(
  namespace: KubeObject,
  updates: readonly NamespaceConditionUpdate[],
  now: number,
): string {
  const text = namespace.metadata.annotations?.[namespaceAnnotations.status] ?? "";
  const before = read(text);
  const conditions = updates.reduce(
    (all, update) => updated(all, update, now),
    conditionsIn(before),
  );
  if (conditions === before.Conditions) return text;
  return JSON.stringify({ ...before, Conditions: conditions });
}

/** The annotation without conditions of these types; the very same text when it has none, undefined when nothing is left. */
export function withoutNamespaceConditions(
  namespace: KubeObject,
  types: readonly string[],
): string | undefined {
  const text = namespace.metadata.annotations?.[namespaceAnnotations.status];
  const before = read(text);
  const conditions = conditionsIn(before);
  const left = conditions.filter(({ Type }) => !types.includes(Type));
  if (left.length === conditions.length) return text;
  return left.length === 0 ? undefined : JSON.stringify({ ...before, Conditions: left });
}

type Fields = Readonly<Record<string, unknown>>;

function read(text: string | undefined): Fields {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}

const nothing: readonly NamespaceCondition[] = [];

function conditionsIn({ Conditions }: Fields): readonly NamespaceCondition[] {
  return Array.isArray(Conditions) && Conditions.every(isCondition) ? Conditions : nothing;
}

function isCondition(value: unknown): value is NamespaceCondition {
  return isFields(value) && typeof value.Type === "string" && typeof value.Status === "string";
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function updated(
  all: readonly NamespaceCondition[],
  { type, status, message = "" }: NamespaceConditionUpdate,
  now: number,
): readonly NamespaceCondition[] {
  const at = all.findIndex(({ Type }) => Type === type);
  const old = all[at];
  if (old?.Status === status && (old.Message ?? "") === message) return all;
  const LastUpdateTime = `${new Date(now).toISOString().slice(0, 19)}Z`;
  const condition = { Type: type, Status: status, Message: message, LastUpdateTime };
  return at < 0 ? [...all, condition] : all.with(at, condition);
}

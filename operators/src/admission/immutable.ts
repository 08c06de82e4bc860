/** What an update changes, and what it must not. */

import { isDeepStrictEqual } from "node:util";
import type { KubeObject } from "kopf-ts";
import type { Problem } from "./verdicts.ts";

/** Fields of an object besides apiVersion, kind, metadata and status. */
export type ContentField<T extends KubeObject> = Exclude<keyof T, keyof KubeObject | "status"> &
  string;

/** The first of these fields that has another value now. */
export function immutableProblem<T extends KubeObject>(
  before: T,
  after: T,
  fields: readonly ContentField<T>[],
): Problem {
  const changed = fields.find((field) => !same(before[field], after[field]));
  return changed === undefined ? undefined : `${changed} is immutable: it cannot be changed`;
}

/** The first of these fields that had a value and has another now. */
export function setOnceProblem<T extends KubeObject>(
  before: T,
  after: T,
  fields: readonly ContentField<T>[],
): Problem {
  const set = fields.filter((field) => !isEmpty(before[field]));
  const changed = set.find((field) => !same(before[field], after[field]));
  return changed === undefined
    ? undefined
    : `${changed} is set once: it cannot be changed any more`;
}

/** Whether a label was there before and is gone or has another value now; with `added: false` it cannot come later either. */
export function labelProblem(
  before: KubeObject,
  after: KubeObject,
  label: string,
  { added = true }: { readonly added?: boolean } = {},
): Problem {
  const old = before.metadata.labels?.[label];
  if (old === after.metadata.labels?.[label] || (old === undefined && added)) return undefined;
  return `label ${label} is immutable: it cannot be changed or removed`;
}

/** Fields that an update changes, apart from metadata and status. What is absent, null, "", false or without entries counts as the same. */
export function changedContent<T extends KubeObject>(before: T, after: T): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)].filter(isContent));
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...names].filter((name) => !same(old.get(name), now.get(name))).sort();
}

const envelope: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "status"]);

function isContent(name: string): boolean {
  return !envelope.has(name);
}

function same(before: unknown, after: unknown): boolean {
  return (isEmpty(before) && isEmpty(after)) || isDeepStrictEqual(before, after);
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === "" || value === false;
}

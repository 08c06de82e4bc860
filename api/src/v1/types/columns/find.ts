/** Walks JSON paths (client-go: util/jsonpath/jsonpath.go, with missing keys allowed). Pure. */

import { compare } from "./compare.ts";
import type { Path, Slice, Step } from "./json-path.ts";

/** Values a path leads to, and whether it could be walked to its end. */
interface Found {
  readonly values: readonly unknown[];
  readonly failed: boolean;
}

/** The values that a path leads to; undefined where it cannot be walked, as a list that ends before the element. */
export function valuesAt(object: unknown, path: Path): readonly unknown[] | undefined {
  const { values, failed } = walk([object], path);
  return failed ? undefined : values;
}

function walk(from: readonly unknown[], path: Path): Found {
  let found: Found = { values: from, failed: false };
  for (const step of path) {
    found = take(found.values, step);
    if (found.failed) break;
  }
  return found;
}

function take(values: readonly unknown[], step: Step): Found {
  switch (step.step) {
    case "field":
      return found(values.flatMap((value) => fieldOf(value, step.name)));
    case "each":
      return found(values.flatMap(childrenOf));
    case "deep":
      return found(values.flatMap(descend));
    case "slice":
      return collect(values, (value) => sliced(value, step.slice));
    case "filter":
      return collect(values, (value) => filtered(value, step));
    case "union":
      return union(values, step.paths);
    case "literal":
      return found(values.map(() => step.value));
    default:
      return failed(values);
  }
}

function found(values: readonly unknown[]): Found {
  return { values, failed: false };
}

/** A step that fails leaves what it was given: whoever asks only whether there is something finds that. */
function failed(values: readonly unknown[]): Found {
  return { values, failed: true };
}

/** The values of all, unless one has none. */
function collect(
  values: readonly unknown[],
  take: (value: unknown) => readonly unknown[] | undefined,
): Found {
  const all: unknown[] = [];
  for (const value of values) {
    const some = take(value);
    if (some === undefined) return failed(values);
    for (const each of some) all.push(each);
  }
  return found(all);
}

function union(values: readonly unknown[], paths: readonly Path[]): Found {
  const parts = paths.map((path) => walk(values, path));
  if (parts.some((part) => part.failed)) return failed(values);
  return found(parts.flatMap((part) => part.values));
}

function fieldOf(value: unknown, name: string): readonly unknown[] {
  return isMap(value) && Object.hasOwn(value, name) ? [value[name]] : [];
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isMap(value) ? Object.values(value) : [];
}

/** What has parts, and the parts of these; a text counts as such a thing. */
function descend(value: unknown): readonly unknown[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  const children = childrenOf(value);
  return children.length === 0 ? [] : [value, ...children.flatMap(descend)];
}

function sliced(value: unknown, slice: Slice): readonly unknown[] | undefined {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) return undefined;
  const { length } = value;
  const from = (slice.from ?? 0) < 0 ? (slice.from ?? 0) + length : (slice.from ?? 0);
  const to = endOf(slice, length);
  if (from === to) return [];
  if (from >= length || from < 0 || to > length || to < 0 || from > to) return undefined;
  const by = slice.by ?? 1;
  if (by <= 0) return undefined;
  return value.slice(from, to).filter((_, index) => index % by === 0);
}

function endOf({ to, single }: Slice, length: number): number {
  if (to === undefined) return length;
  return to < 0 || (to === 0 && single) ? to + length : to;
}

type Filter = Extract<Step, { step: "filter" }>;

/** Elements that pass; undefined where they cannot be compared. */
function filtered(value: unknown, filter: Filter): readonly unknown[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const passing: unknown[] = [];
  for (const element of value) {
    const passes = passesFilter(element, filter);
    if (passes === undefined) return undefined;
    if (passes) passing.push(element);
  }
  return passing;
}

function passesFilter(element: unknown, { left, operator, right }: Filter): boolean | undefined {
  const lefts = walk([element], left);
  if (operator === "exists") return lefts.values.length > 0;
  if (lefts.failed) return undefined;
  if (lefts.values.length !== 1) return lefts.values.length === 0 ? false : undefined;
  const rights = walk([element], right);
  if (rights.failed) return undefined;
  if (rights.values.length !== 1) return rights.values.length === 0 ? false : undefined;
  return compare(lefts.values[0], operator, rights.values[0]);
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

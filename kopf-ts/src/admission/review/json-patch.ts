/** The patch by which a mutator's answer reaches the API server. */

import type { JsonPatchOperation } from "../../kube/index.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * The steps (RFC 6902) that turn `from` into `to`, empty when they are equal. Objects are compared field by field; a list that differs is
 * replaced whole. A field that is undefined counts as absent.
 */
export function jsonPatch(from: unknown, to: unknown, path = ""): readonly JsonPatchOperation[] {
  if (from === to) return [];
  if (isFields(from) && isFields(to)) return fieldSteps(from, to, path);
  if (Array.isArray(from) && Array.isArray(to) && areEqual(from, to)) return [];
  return [{ op: "replace", path, value: to }];
}

function fieldSteps(from: Fields, to: Fields, path: string): readonly JsonPatchOperation[] {
  const removed = Object.keys(from)
    .filter((name) => own(to, name) === undefined)
    .map((name): JsonPatchOperation => ({ op: "remove", path: step(path, name) }));
  const set = Object.entries(to).flatMap(([name, value]): readonly JsonPatchOperation[] => {
    if (value === undefined) return [];
    const before = own(from, name);
    return before === undefined
      ? [{ op: "add", path: step(path, name), value }]
      : jsonPatch(before, value, step(path, name));
  });
  return [...removed, ...set];
}

/** Lists as JSON would write them; an item that is undefined is null there. */
function areEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  return (
    a.length === b.length &&
    a.every((item, at) => jsonPatch(item ?? null, b[at] ?? null).length === 0)
  );
}

/** RFC 6901. */
function step(path: string, name: string): string {
  return `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** A field such as `constructor` is not what every object inherits. */
function own(object: Fields, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

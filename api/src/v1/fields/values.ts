/** What of an object stands at a path. */

import { annotationOf, type FieldPath } from "../query/field.ts";

/** Objects hold no more levels than this; deeper ones are cut. */
const most = 10_000;

/**
 * The value at a path; undefined where it leads nowhere. On a list a number picks a member, and a name is asked of each: what has none counts as the empty text, so
 * that places stay (`spec.containers.image`, `spec.containers.image[0]`, `spec.containers.0.image`). Lists in lists become one.
 */
export function valueAt(object: unknown, path: FieldPath): unknown {
  let value = object;
  for (const key of path) {
    value = Array.isArray(value) ? ofList(value, key) : ofMap(value, key);
    if (value === undefined || value === null) return undefined;
  }
  return value;
}

/** Top-level keys of objects that begin with `_` in items, where the plain ones are of /v1. */
const renamed: ReadonlySet<string> = new Set(["id", "type", "links", "actions"]);

/** Whether a path begins with a key that items have of their own. */
export function isOfItem([first = ""]: FieldPath): boolean {
  return renamed.has(first);
}

/** The path in an object of what has a path in an item. */
export function pathInObject(path: FieldPath): FieldPath {
  const [first = "", second = ""] = path;
  const annotation = annotationOf(path);
  if (annotation !== undefined) return [first, second, annotation];
  const isRenamed = first.startsWith("_") && renamed.has(first.slice(1));
  return isRenamed ? [first.slice(1), ...path.slice(1)] : path;
}

/** Whether the path leads anywhere, if only to something empty. */
export function leadsSomewhere(object: unknown, path: FieldPath): boolean {
  const value = valueAt(object, path);
  return Array.isArray(value)
    ? value.length === 0 || value.some((each) => each !== "")
    : value !== undefined;
}

function ofList(list: readonly unknown[], key: string): unknown {
  if (/^\d+$/.test(key)) return list[Number(key)];
  const found = list.flatMap((member) => ofMap(member, key) ?? "");
  return found.length > most ? found.slice(0, most) : found;
}

function ofMap(map: unknown, key: string): unknown {
  if (typeof map !== "object" || map === null || !Object.hasOwn(map, key)) return undefined;
  return Reflect.get(map, key);
}

/** Match conditions: the API server evaluates them, and only asks where they hold. */

import type { MatchCondition } from "kopf-ts/admission";

/** The path of an annotation, for `sets` and `has`. */
export function annotation(key: string): string {
  return `.?metadata.?annotations[?"${key}"]`;
}

/** The path of a label. */
export function label(key: string): string {
  return `.?metadata.?labels[?"${key}"]`;
}

/** Whether a request gives a field another value than it has. `path` is one of optional steps (`.?spec.?value`); `none` is CEL for what absent counts as. */
export function sets(path: string, none = '""'): string {
  const of = (object: string): string => `${object}${path}.orValue(${none})`;
  return `(request.operation == "CREATE" ? ${of("object")} != ${none} : ${of("object")} != ${of("oldObject")})`;
}

/** Asked where any of these holds; the name shows up in messages of the API server. */
export function anyOf(name: string, ...expressions: readonly string[]): readonly MatchCondition[] {
  return [{ name, expression: expressions.join(" || ") }];
}

/** Holds for deletions of these. The name stands in the object: a request that deletes a whole collection has none. */
export function deletes(...names: readonly string[]): string {
  return `oldObject != null && oldObject.metadata.name in ${JSON.stringify(names)}`;
}

/** Parts of objects in one cell (kubernetes: pkg/printers/internalversion/printers.go; apimachinery: pkg/labels, pkg/apis/meta/v1). */

import { listAt, mapAt, textAt, wholeAt } from "../tree.ts";

/** The text at a path, or what stands for nothing. */
export function textOr(otherwise: string, object: unknown, ...keys: readonly string[]): string {
  return textAt(object, ...keys) || otherwise;
}

/** The number at a path; 0 for none, as servers leave zeros out. */
export function countAt(object: unknown, ...keys: readonly string[]): number {
  return wholeAt(object, ...keys) ?? 0;
}

/** `a=b,c=d` by name. */
export function labelTexts(labels: Readonly<Record<string, unknown>> | undefined): string {
  const pairs = Object.keys(labels ?? {}).map((key) => `${key}=${textAt(labels, key)}`);
  return pairs.toSorted(byBytes).join(",") || "<none>";
}

/** A label selector in the words of kubectl, nothing for one that is empty. */
export function selectorText(selector: unknown): string {
  const labels = mapAt(selector, "matchLabels") ?? {};
  const equal = Object.keys(labels).map((key) => [key, `${key}=${textAt(labels, key)}`] as const);
  const others = listAt(selector, "matchExpressions").map(
    (each) => [textAt(each, "key"), expressionText(each)] as const,
  );
  return [...equal, ...others]
    .toSorted(([a], [b]) => byBytes(a, b))
    .map(([, text]) => text)
    .join(",");
}

function expressionText(expression: unknown): string {
  const key = textAt(expression, "key");
  const values = listAt(expression, "values").map(String).toSorted(byBytes).join(",");
  switch (textAt(expression, "operator")) {
    case "In":
      return `${key} in (${values})`;
    case "NotIn":
      return `${key} notin (${values})`;
    case "Exists":
      return key;
    default:
      return `!${key}`;
  }
}

/** As `selectorText`, with a word for one that is empty. */
export function selectorOrNone(selector: unknown): string {
  return selectorText(selector) || "<none>";
}

/** The names and the images of containers. */
export function containerTexts(
  containers: readonly unknown[],
): readonly [names: string, images: string] {
  const joined = (key: string): string => containers.map((each) => textAt(each, key)).join(",");
  return [joined("name"), joined("image")];
}

/** The first three of a list, and how many more there are. */
export function firstThree(all: readonly string[], nothing = "<unset>"): string {
  const text = all.slice(0, 3).join(",");
  return all.length > 3 ? `${text} + ${all.length - 3} more...` : text || nothing;
}

/** Whether a condition is True; the first of its type counts. */
export function holds(object: unknown, type: string): boolean {
  const found = listAt(object, "status", "conditions").find(
    (each) => textAt(each, "type") === type,
  );
  return textAt(found, "status") === "True";
}

/** As Go orders texts, for the characters that names have. */
export function byBytes(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The name, which most tables begin with. */
export function nameOf(object: unknown): string {
  return textAt(object, "metadata", "name");
}

/** Whether somebody has deleted it. */
export function isLeaving(object: unknown): boolean {
  return textAt(object, "metadata", "deletionTimestamp") !== "";
}

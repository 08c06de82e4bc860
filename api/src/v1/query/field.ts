/** Paths into objects as clients write them (steve: pkg/stores/sqlpartition/listprocessor, splitQuery). */

import { QueryError } from "./errors.ts";

/** The keys and indexes of a path, outermost first. */
export type FieldPath = readonly string[];

/** Longer paths lead nowhere: a label's name has up to 317 characters, and few keys have more. */
const deepest = 32;
const longest = 512;

/**
 * Splits `metadata.labels[app.kubernetes.io/name]` and `spec.containers.image[0]`: dots part keys, brackets hold one as it is. Throws QueryError
 * for empty keys, for brackets that do not end the path or another bracket, and for paths deeper than 32 or of more than 512 characters.
 */
export function parseField(text: string, parameter: string): FieldPath {
  if (text.length > longest) {
    const shown = JSON.stringify(shorten(text));
    throw new QueryError(parameter, `${shown} is longer than ${longest} characters`, {
      path: text,
    });
  }
  const [, dotted = "", brackets = ""] = shape.exec(text) ?? [];
  const keys = [...dotted.split("."), ...keysIn(brackets)];
  if (keys.length > deepest || keys.some((key) => key === "")) {
    throw new QueryError(parameter, `${JSON.stringify(shorten(text))} is no path of a field`, {
      path: text,
    });
  }
  return keys;
}

/** Most paths have no brackets, and an expression that is used for all that it finds is copied each time. */
function keysIn(brackets: string): readonly string[] {
  if (brackets === "") return [];
  return [...brackets.matchAll(bracket)].map(([, key = ""]) => key);
}

/** The name of a label, when the path is that of one. */
export function labelOf(path: FieldPath): string | undefined {
  return isBelow(path, "labels");
}

/** The name of an annotation, when the path is that of one. */
export function annotationOf(path: FieldPath): string | undefined {
  return isBelow(path, "annotations");
}

/** How a path is written: what is no plain key stands in brackets. */
export function fieldText([first = "", ...rest]: FieldPath): string {
  return rest.reduce((text, key) => text + (plain.test(key) ? `.${key}` : `[${key}]`), first);
}

const shape = /^([^[\]]+)((?:\[[^[\]]+\])*)$/;
const bracket = /\[([^[\]]+)\]/g;
const plain = /^[a-zA-Z_]\w*$/;

/** Everything behind `metadata.labels.` is one key, with dots or without. */
function isBelow([root, map, ...keys]: FieldPath, wanted: string): string | undefined {
  return root === "metadata" && map === wanted && keys.length > 0 ? keys.join(".") : undefined;
}

/** Texts of clients go into messages, but not whole books. */
export function shorten(text: string): string {
  return text.length <= 64 ? text : `${text.slice(0, 61)}...`;
}

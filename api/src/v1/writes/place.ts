/** Where the API server has a type's objects. Pure. */

import type { Kind } from "kopf-ts";
import { problem } from "../problem.ts";

/** The path of a type's objects, in one namespace if they are in any, or of one of them. Throws a Problem for what can be no part of a path. */
export function upstreamPath(kind: Kind, namespace: string | undefined, name?: string): string {
  const { group, version, plural, scope } = kind;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const inNamespace = scope === "Namespaced" && namespace !== undefined;
  const place = inNamespace ? `/namespaces/${segment(namespace, "namespace")}` : "";
  const object = name === undefined ? "" : `/${segment(name, "name")}`;
  return `${root}${place}/${plural}${object}`;
}

/**
 * As the API server takes names (apimachinery: pkg/api/validation/path, IsValidPathSegmentName): it decodes a path before it splits it, so that a slash, encoded or
 * not, would lead to other objects.
 */
function segment(text: string, what: string): string {
  const moves = text === "" || text === "." || text === ".." || /[/%]/.test(text);
  if (moves || !text.isWellFormed() || text.length > longest) {
    throw problem("InvalidFormat", `no ${what} of an object: ${JSON.stringify(text)}`, what);
  }
  return encodeURIComponent(text);
}

/** Names have 253 letters at most, or little more. */
const longest = 1_000;

/** Where the API server serves what. Pure. */

import { ApiError } from "./errors.ts";
import type { Kind } from "./kind.ts";

/** Query parameters; undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Path of a kind's objects: of one namespace, or of all when `namespace` is absent. */
export function collectionPath(kind: Kind, namespace?: string): string {
  const root = kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  if (kind.scope === "Cluster" || namespace === undefined || namespace === "") {
    return `${root}/${kind.plural}`;
  }
  return `${root}/namespaces/${segment(namespace, kind, "namespace")}/${kind.plural}`;
}

/** Path of one object or its subresource. Throws for an empty name: the path would be that of the whole collection. */
export function objectPath(
  kind: Kind,
  name: string,
  namespace: string | undefined,
  subresource?: string,
): string {
  if (kind.scope === "Namespaced") requireNamespace(kind, name, namespace);
  const path = `${collectionPath(kind, namespace)}/${segment(name, kind, "name")}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** Throws unless a namespaced kind comes with a namespace. */
export function requireNamespace(kind: Kind, name: string, namespace: string | undefined): void {
  if (kind.scope === "Cluster" || (namespace !== undefined && namespace !== "")) return;
  throw badRequest(`${kind.kind} ${JSON.stringify(name)} is namespaced, but no namespace is given`);
}

/** `?a=b&c=d`, or the empty string. */
export function queryString(query: Query): string {
  let text = "";
  for (const name in query) {
    const value = query[name];
    if (value === undefined || value === "") continue;
    text += `${text === "" ? "?" : "&"}${name}=${encodeURIComponent(value)}`;
  }
  return text;
}

/** An ApiError for a request that must not be sent. */
export function badRequest(message: string): ApiError {
  return new ApiError({ message, code: 0, reason: "BadRequest", method: "", path: "" });
}

const plain = /^[A-Za-z0-9][A-Za-z0-9._:-]*$/;

function segment(text: string, kind: Kind, what: string): string {
  if (plain.test(text)) return text;
  if (text === "" || text === "." || text === "..") {
    throw badRequest(`${JSON.stringify(text)} is no ${what} of a ${kind.kind}`);
  }
  return encodeURIComponent(text);
}

/** Where the API server serves what. Pure. */

import type { SelectorOptions } from "./client.ts";
import { ApiError } from "./errors.ts";
import type { Kind } from "./kind.ts";

/** Query parameters; undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Path of a kind's objects: of one namespace, or of all when `namespace` is absent. Throws `BadRequest` for a namespace that is no path
 * segment, see objectPath.
 */
export function collectionPath(kind: Kind, namespace?: string): string {
  const { group, version } = kind;
  const root =
    group === ""
      ? `/api/${plain(version, "version")}`
      : `/apis/${plain(group, "group")}/${plain(version, "version")}`;
  const plural = plain(kind.plural, "plural");
  if (kind.scope === "Cluster" || namespace === undefined || namespace === "") {
    return `${root}/${plural}`;
  }
  return `${root}/namespaces/${segment(namespace, kind, "namespace")}/${plural}`;
}

/**
 * Path of one object or its subresource. Throws `BadRequest` for what the server would not take as a name (apimachinery:
 * pkg/api/validation/path, IsValidPathSegmentName): an empty name leads to the whole collection, and one with a slash, encoded or
 * not, to other objects, since API servers decode a path before they split it.
 */
export function objectPath(
  kind: Kind,
  name: string,
  namespace: string | undefined,
  subresource?: string,
): string {
  if (kind.scope === "Namespaced") requireNamespace(kind, name, namespace);
  const path = `${collectionPath(kind, namespace)}/${segment(name, kind, "name")}`;
  return subresource === undefined ? path : `${path}/${plain(subresource, "subresource")}`;
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
    if (typeof value === "string" && !value.isWellFormed()) {
      throw badRequest(`${name} is no valid text: ${JSON.stringify(value)}`);
    }
    text += `${text === "" ? "?" : "&"}${name}=${encodeURIComponent(value)}`;
  }
  return text;
}

/** What a list of one object of those that are selected asks for; the namespace of the selection where none is given. Names are escaped as fields.EscapeValue does (apimachinery: pkg/fields/selector.go). */
export function onlyNamed(
  { namespace: within, fieldSelector = "" }: SelectorOptions,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
): SelectorOptions {
  const own = `metadata.name=${name.replace(/[\\,=]/g, "\\$&")}`;
  return {
    namespace: namespace || within,
    fieldSelector: fieldSelector === "" ? own : `${fieldSelector},${own}`,
  };
}

/** An ApiError for a request that must not be sent. */
export function badRequest(message: string): ApiError {
  return new ApiError({ message, code: 0, reason: "BadRequest", method: "", path: "" });
}

const usual = /^[A-Za-z0-9](?:[A-Za-z0-9._:-]*[A-Za-z0-9])?$/;

/** Part of a path that comes from a kind or from us: groups, versions, plurals and subresources are never anything else. */
export function plain(text: string, what: string): string {
  if (typeof text === "string" && usual.test(text)) return text;
  throw badRequest(`${JSON.stringify(text)} is no ${what}`);
}

/** A name in a path. Types promise texts, but what names an object often comes out of JSON. */
function segment(text: string, kind: Kind, what: string): string {
  if (typeof text === "string") {
    if (usual.test(text)) return text;
    const moves = text === "" || text === "." || text === ".." || /[/%]/.test(text);
    if (!moves && text.isWellFormed()) return encodeURIComponent(text);
  }
  throw badRequest(`${JSON.stringify(text)} is no ${what} of a ${kind.kind}`);
}

/** Options of reads and writes, from the query of a URL to that of the API server. Pure. */

import { problem } from "../problem.ts";
import { mapAt } from "../tree.ts";
import type { Sent } from "./content.ts";

/** Options of metav1 by what is done; whatever else is in a URL is for /v1 itself. */
const names = {
  get: ["resourceVersion"],
  create: ["dryRun", "fieldManager", "fieldValidation"],
  update: ["dryRun", "fieldManager", "fieldValidation"],
  patch: ["dryRun", "fieldManager", "fieldValidation", "force"],
} as const;

/**
 * The options among the parameters, as a query that begins with `?`, or nothing. Throws a Problem for `force` that is neither true nor false, and for a `resourceVersion` that
 * is no number.
 */
export function optionsQuery(verb: keyof typeof names, query: URLSearchParams): string {
  const options = new URLSearchParams();
  for (const name of names[verb]) {
    for (const value of query.getAll(name)) if (value !== "") options.append(name, value);
  }
  booleanOf("force", options.get("force"));
  revisionOf("resourceVersion", options.get("resourceVersion"));
  return options.size === 0 ? "" : `?${options}`;
}

/**
 * The DeleteOptions in a body and in the parameters of a URL, of which the body counts where both tell the same; undefined where none are told. Throws a Problem that
 * names what is wrong.
 */
export function deleteOptions(query: URLSearchParams, body: Sent): Sent | undefined {
  const { apiVersion: _a, kind = "DeleteOptions", ...told } = body;
  if (kind !== "DeleteOptions") {
    throw problem("InvalidBodyContent", "the body of a DELETE is DeleteOptions", "kind");
  }
  const options = { ...definedIn(fromQuery(query)), ...told };
  if (Object.keys(options).length === 0) return undefined;
  return { apiVersion: "v1", kind, ...options, ...preconditionsIn(query, told) };
}

function fromQuery(query: URLSearchParams): Sent {
  const dryRun = query.getAll("dryRun").filter((value) => value !== "");
  return {
    gracePeriodSeconds: countOf("gracePeriodSeconds", query.get("gracePeriodSeconds")),
    propagationPolicy: query.get("propagationPolicy") || undefined,
    orphanDependents: booleanOf("orphanDependents", query.get("orphanDependents")),
    dryRun: dryRun.length === 0 ? undefined : dryRun,
    preconditions: mapAt(preconditionsIn(query, {}), "preconditions"),
  };
}

/** `uid` as in metav1's own conversion, and `resourceVersion`. */
function preconditionsIn(query: URLSearchParams, told: Sent): Sent {
  const uid = query.get("uid") || undefined;
  const resourceVersion = query.get("resourceVersion") || undefined;
  const preconditions = {
    ...definedIn({ uid, resourceVersion }),
    ...mapAt(told, "preconditions"),
  };
  return Object.keys(preconditions).length === 0 ? {} : { preconditions };
}

function definedIn(fields: Sent): Sent {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function revisionOf(name: string, text: string | null): void {
  if (text === null || /^\d{1,19}$/.test(text)) return;
  throw problem("InvalidFormat", `${name} is a revision, which is a number`, name);
}

function countOf(name: string, text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw problem("InvalidFormat", `${name} is a number of seconds`, name);
}

function booleanOf(name: string, text: string | null): boolean | undefined {
  if (text === null || text === "") return undefined;
  if (/^(?:true|1)$/i.test(text)) return true;
  if (/^(?:false|0)$/i.test(text)) return false;
  throw problem("InvalidFormat", `${name} is true or false`, name);
}

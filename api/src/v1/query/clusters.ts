/** Which clusters a question is put to: `local,c-abcde`, or `all`; and how far each of them was, `local:12,c-abcde:34`. Pure. */

import { QueryError } from "./errors.ts";
import { shorten } from "./field.ts";

/** Names, each once; "all" for all. */
export type ClusterNames = "all" | readonly string[];

/** More than anybody writes; who has more clusters asks `all`. */
const most = 200;
const nameOfCluster = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** The parameter `clusters`; undefined where the question is not put to several. Throws QueryError. */
export function parseClusters(query: URLSearchParams): ClusterNames | undefined {
  return query.has("clusters") ? clustersIn(query.getAll("clusters").join(",")) : undefined;
}

/** Names with commas between. Throws QueryError. */
export function clustersIn(text: string): ClusterNames {
  const names = [...new Set(text.split(",").filter((name) => name !== ""))];
  if (names.length === 0) throw wrong("clusters must be names with commas between, or all");
  if (names.length > most) throw wrong(`more than ${most} clusters`);
  const odd = names.find((name) => !nameOfCluster.test(name));
  if (odd !== undefined) throw wrong(`'${shorten(odd)}' is no name of a cluster`);
  return names.includes("all") ? "all" : names;
}

function wrong(message: string): QueryError {
  return new QueryError("clusters", message);
}

/** Revisions of several clusters in one text; empty ones are left out. */
export function revisionText(revisions: Iterable<readonly [cluster: string, string]>): string {
  const told = [...revisions].filter(([, revision]) => revision !== "");
  return told.map((each) => each.join(":")).join(",");
}

/** What `revisionText` made, by cluster; undefined for what is none. */
export function parseRevisions(text: string): ReadonlyMap<string, string> | undefined {
  const revisions = new Map<string, string>();
  for (const each of text === "" ? [] : text.split(",")) {
    const [name = "", revision = "", ...more] = each.split(":");
    const isRead = nameOfCluster.test(name) && /^\d{1,20}$/.test(revision) && more.length === 0;
    if (!isRead) return undefined;
    revisions.set(name, revision);
  }
  return revisions;
}

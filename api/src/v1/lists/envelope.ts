/** What stands around the items of a list (apiserver: pkg/writer/encoding.go, pkg/types/types.go). */

import type { Access } from "../access/access.ts";
import type { TypeRequest } from "../request.ts";
import type { SummaryEntry } from "./summaries.ts";

/** What a list found. */
export interface Found {
  readonly revision: string;
  /** Of all pages. */
  readonly total: number;
  /** How many at most were asked for. */
  readonly limit: number | undefined;
  /** Where the list goes on. */
  readonly next: string | undefined;
}

/** The members of a collection before `data`. Empty ones are left out where Go leaves them out. */
export function envelope(request: TypeRequest, found: Found): Readonly<Record<string, unknown>> {
  const { type, base, exchange } = request;
  const self = base + exchange.path;
  const creates = mayCreate(request)
    ? { createTypes: { [type.id]: `${base}/v1/${type.pluralName}` } }
    : {};
  return {
    type: "collection",
    links: { self },
    ...creates,
    actions: {},
    resourceType: type.id,
    ...pagination(self, exchange.query, found),
    ...(found.revision !== "" && { revision: found.revision }),
    ...(found.next !== undefined && { continue: found.next }),
    ...(found.total > 0 && { count: found.total }),
  };
}

/** `summary` behind `data`, when there is any. */
export function summaryMember(summary: readonly SummaryEntry[]): Readonly<Record<string, unknown>> {
  return summary.length === 0 ? {} : { summary };
}

function mayCreate({
  type,
  access,
}: {
  readonly type: TypeRequest["type"];
  readonly access: Access;
}): boolean {
  if (!type.verbs.includes("create")) return false;
  const reach = access.reach(["create"], type.kind);
  return reach === "all" || reach.namespaces.size > 0 || reach.names.size > 0;
}

function pagination(self: string, query: URLSearchParams, { limit, next }: Found): object {
  if (next === undefined && (query.get("continue") ?? "") === "") return {};
  const following = new URLSearchParams(query);
  following.set("continue", next ?? "");
  return {
    pagination: {
      ...(limit !== undefined && { limit }),
      first: self,
      ...(next !== undefined && { next: `${self}?${following}` }),
      partial: true,
    },
  };
}

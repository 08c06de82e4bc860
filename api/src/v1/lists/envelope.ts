/** What stands around the items of a list (apiserver: pkg/writer/encoding.go, pkg/types/types.go). */

import type { TypeRequest } from "../request.ts";
import { createTypes } from "../schemas/index.ts";

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
  const { type, access, base, exchange } = request;
  const self = base + exchange.path;
  const created = createTypes(type, access, base);
  return {
    type: "collection",
    links: { self },
    ...(Object.keys(created).length > 0 && { createTypes: created }),
    actions: {},
    resourceType: type.id,
    ...pagination(self, exchange.query, found),
    ...(found.revision !== "" && { revision: found.revision }),
    ...(found.next !== undefined && { continue: found.next }),
    ...(found.total > 0 && { count: found.total }),
  };
}

/** What tells where the list goes on; nothing for a list that is whole. */
export function pagination(
  self: string,
  query: URLSearchParams,
  { limit, next }: Pick<Found, "limit" | "next">,
): object {
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

/** What is served under names of its own below /v1: schemas, counts, searches, the root. */

import type { Exchange } from "../stage.ts";
import type { Access } from "./access/access.ts";
import { problem } from "./problem.ts";

/** Where a request stands, and for whom. */
export interface Place {
  readonly access: Access;
  /** The segments of the path behind the route's name. */
  readonly rest: readonly string[];
  /** What URLs in answers begin with. */
  readonly base: string;
  readonly signal: AbortSignal;
}

/** Answers a request, or throws a Problem. */
export type Route = (exchange: Exchange, place: Place) => Promise<void>;

/** The one segment that may follow a route's name; undefined for the collection. Throws for other methods than GET, and for longer paths. */
export function nameIn({ request, query }: Exchange, { rest }: Place): string | undefined {
  const method = (query.get("_method") ?? request.method ?? "GET").toUpperCase();
  if (method !== "GET" && method !== "HEAD") {
    throw problem("PermissionDenied", `Method ${method.slice(0, 20)} not supported`);
  }
  const [name, ...more] = rest.filter((segment) => segment !== "");
  if (more.length > 0) throw problem("NotFound", "nothing is served at this path");
  return name;
}

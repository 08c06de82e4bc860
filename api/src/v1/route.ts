/** What is served under names of its own below /v1: schemas, counts, searches, the root. */

import { methodOf } from "../methods/index.ts";
import type { Exchange } from "../stage.ts";
import type { Access } from "./access/access.ts";
import { type Problem, problem } from "./problem.ts";

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

/** The method of a request, which `_method` may say instead, in upper case; HEAD is GET. */
export function methodIn(exchange: Exchange): string {
  const method = methodOf(exchange);
  return method === "HEAD" ? "GET" : method;
}

/** The problem of a method that nobody serves at a path. */
export function unsupported(method: string): Problem {
  return problem("PermissionDenied", `Method ${method.slice(0, 20)} not supported`);
}

/** As nameOf, where there is nothing but GET. Throws for other methods. */
export function nameIn(exchange: Exchange, place: Place): string | undefined {
  const method = methodIn(exchange);
  if (method !== "GET") throw unsupported(method);
  return nameOf(place);
}

/** The one segment that may follow a route's name; undefined for the collection. Throws for longer paths. */
export function nameOf({ rest }: Place): string | undefined {
  const [name, ...more] = rest.filter((segment) => segment !== "");
  if (more.length > 0) throw problem("NotFound", "nothing is served at this path");
  return name;
}

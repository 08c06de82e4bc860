/** What is served under names of its own below /v1: schemas, their definitions, API groups, the root. */

import type { Exchange } from "../../stage.ts";
import type { Access } from "../access/access.ts";
import { problem } from "../problem.ts";
import type { KeptAnswer } from "./schemas.ts";

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

/** Sends a whole answer as JSON. */
export function sendJson({ response }: Exchange, body: string): void {
  const bytes = Buffer.from(body);
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": bytes.length });
  response.end(bytes);
}

/** Sends an answer that is kept, in the form that the caller takes. */
export function sendKept({ request, response }: Exchange, { plain, gzipped }: KeptAnswer): void {
  const isGzip = takesGzip(String(request.headers["accept-encoding"] ?? ""));
  const body = isGzip ? gzipped : plain;
  response.writeHead(200, {
    ...{ "Content-Type": "application/json", "Content-Length": body.length },
    ...{ Vary: "Accept-Encoding", ...(isGzip && { "Content-Encoding": "gzip" }) },
  });
  response.end(body);
}

function takesGzip(accepted: string): boolean {
  return /(^|[,\s])gzip(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(accepted);
}

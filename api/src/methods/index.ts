import { type Exchange, isV1, refuse } from "../stage.ts";

const reads: readonly string[] = ["GET", "HEAD"];

/** The method that counts, in upper case: below /v1 `_method` may name another than HTTP does (apiserver: pkg/parse/parse.go). */
export function methodOf({
  request,
  path,
  query,
}: Pick<Exchange, "request" | "path" | "query">): string {
  const named = isV1(path) ? query.get("_method") : undefined;
  return (named || request.method || "GET").toUpperCase();
}

/** Whether a method may change something. */
export function isWrite(method: string): boolean {
  return !reads.includes(method);
}

/** Whether the request only reads; if not, it is refused by 405. For routes that have nothing to write. */
export function isRead({ request, response }: Exchange): boolean {
  const { method = "" } = request;
  if (reads.includes(method)) return true;
  response.setHeader("Allow", reads.join(", "));
  refuse(response, 405, "MethodNotAllowed", `Invalid method ${method} not supported`);
  return false;
}

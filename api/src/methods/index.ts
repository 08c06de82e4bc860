import { type Exchange, refuse } from "../stage.ts";

const reads: readonly string[] = ["GET", "HEAD"];

/** Whether the request only reads; if not, it is refused by 405. For routes that have nothing to write. */
export function isRead({ request, response }: Exchange): boolean {
  const { method = "" } = request;
  if (reads.includes(method)) return true;
  response.setHeader("Allow", reads.join(", "));
  refuse(response, 405, "MethodNotAllowed", `Invalid method ${method} not supported`);
  return false;
}

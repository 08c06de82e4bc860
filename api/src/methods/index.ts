import { type Exchange, refuse, type Stage } from "../stage.ts";

const known: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const reads: readonly string[] = ["GET", "HEAD"];

/** Refuses methods that nobody serves. */
export const methods: Stage = async (exchange, next) => {
  if (allows(exchange, known)) await next();
};

/** Whether the request only reads; if not, it is refused by 405. For routes that have nothing to write. */
export function isRead(exchange: Exchange): boolean {
  return allows(exchange, reads);
}

/** Whether its method is one of these; if not, it is refused by 405. */
function allows({ request, response }: Exchange, allowed: readonly string[]): boolean {
  const { method = "" } = request;
  if (allowed.includes(method)) return true;
  response.setHeader("Allow", allowed.join(", "));
  refuse(response, 405, "MethodNotAllowed", `Invalid method ${method} not supported`);
  return false;
}

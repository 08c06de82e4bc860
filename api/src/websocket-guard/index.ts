import type { IncomingHttpHeaders } from "node:http";
import { isBrowser, isOrigin } from "../browser.ts";
import { type Exchange, refuse, type Stage } from "../stage.ts";

/**
 * Keeps pages of others from opening a websocket with a visitor's cookie, which browsers would send along: the Origin that a browser tells
 * must be the host that it calls, its port included (rancher: pkg/websocket).
 */
export const websocketGuard: Stage = (exchange, next) =>
  isForeign(exchange.request.headers) ? refuseForeign(exchange) : next();

function isForeign(headers: IncomingHttpHeaders): boolean {
  const { connection = "", origin, host = "" } = headers;
  if (origin === undefined || !isBrowser(headers)) return false;
  const upgrades = connection.split(",").some((each) => each.trim().toLowerCase() === "upgrade");
  return upgrades && !isOrigin(origin, host);
}

async function refuseForeign({ request, response, log }: Exchange): Promise<void> {
  const { origin, host = "" } = request.headers;
  log.info("refused a websocket of another origin", { origin, host });
  refuse(response, 403, "Forbidden", "origin not allowed");
}

import { isBrowser, isOrigin } from "../browser.ts";
import { refuse, type Stage } from "../stage.ts";

/**
 * Keeps pages of others from opening a websocket with a visitor's cookie, which browsers would send along: the Origin that a browser tells
 * must be the host that it calls, its port included (rancher: pkg/websocket).
 */
export const websocketGuard: Stage = async ({ request, response, log }, next) => {
  const { connection = "", origin, host = "" } = request.headers;
  const upgrades = connection.split(",").some((each) => each.trim().toLowerCase() === "upgrade");
  if (!upgrades || origin === undefined || !isBrowser(request.headers)) return next();
  if (isOrigin(origin, host)) return next();
  log.info("refused a websocket of another origin", { origin, host });
  refuse(response, 403, "Forbidden", "origin not allowed");
};

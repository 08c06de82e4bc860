/** Writes that a page of somebody else sends as a visitor. Pure. */

import { hasSessionCookie, serverUser } from "./authn/index.ts";
import { hostOf } from "./base-url.ts";
import { isOrigin } from "./browser.ts";
import { isWrite } from "./methods/index.ts";
import type { Exchange } from "./stage.ts";

/**
 * Whether a browser says that a write comes from a page of another origin (older browsers tell the page's own, which is compared with the host), where it comes with the session's
 * cookie, or in header mode with nothing at all: `SameSite` keeps other sites away, but no other hosts of this one, and a body without a content type is taken for JSON. (Rancher
 * does not look at it.)
 */
export function isForged({ request, login }: Pick<Exchange, "request" | "login">): boolean {
  const { method = "GET", headers } = request;
  if (!isWrite(method)) return false;
  const isSentUnasked = hasSessionCookie(headers) || login.caller === serverUser;
  if (!isSentUnasked) return false;
  const { origin, host = "", "sec-fetch-site": site } = headers;
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  return origin !== undefined && ![host, hostOf(request)].some((own) => isOrigin(origin, own));
}

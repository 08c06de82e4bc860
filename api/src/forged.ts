/** Writes that a page of somebody else sends with a visitor's cookie. Pure. */

import type { IncomingMessage } from "node:http";
import { hasSessionCookie } from "./authn/index.ts";
import { hostOf } from "./base-url.ts";
import { isOrigin } from "./browser.ts";
import { isWrite } from "./methods/index.ts";

/**
 * Whether a browser says that a write with the session's cookie comes from a page of another origin (older browsers tell the page's own, which is compared with the host):
 * `SameSite` keeps other sites away, but no other hosts of this one, and a body without a content type is taken for JSON. (Rancher does not look at it.)
 */
export function isForged(request: IncomingMessage): boolean {
  const { method = "GET", headers } = request;
  if (!isWrite(method) || !hasSessionCookie(headers)) return false;
  const { origin, host = "", "sec-fetch-site": site } = headers;
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  return origin !== undefined && ![host, hostOf(request)].some((own) => isOrigin(origin, own));
}

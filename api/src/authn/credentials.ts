/** What a request shows to prove who sends it. Pure. */

import type { IncomingHttpHeaders } from "node:http";
import { parseTokenValue, type TokenValue } from "@drover/platform";
import { cookieNamed } from "../browser.ts";

/** The cookie of login sessions. */
export const sessionCookie = "R_SESS";

/**
 * The token that a request shows; `unusable` for what is none of ours (garbage, a token of Kubernetes, another scheme), undefined for nothing. An
 * Authorization header counts alone: the cookie is not looked at then, however unusable the header is
 * (rancher: pkg/auth/tokens/utils.go, GetTokenAuthFromRequest).
 */
export function shownToken({
  authorization = "",
  cookie,
}: Pick<IncomingHttpHeaders, "authorization" | "cookie">): TokenValue | "unusable" | undefined {
  const header = authorization.trim();
  const text = header === "" ? cookieNamed(sessionCookie, cookie) : inHeader(header);
  if (text === undefined || text === "") return header === "" ? undefined : "unusable";
  return parseTokenValue(text) ?? "unusable";
}

/** Whether the cookie of a session is what a request shows. */
export function hasSessionCookie({
  authorization = "",
  cookie,
}: Pick<IncomingHttpHeaders, "authorization" | "cookie">): boolean {
  return authorization.trim() === "" && (cookieNamed(sessionCookie, cookie) ?? "") !== "";
}

/** The token behind `Bearer`; undefined for other schemes and for none. */
export function bearerOf(authorization = ""): string | undefined {
  const [, token] = /^bearer +(\S+)$/i.exec(authorization.trim()) ?? [];
  return token;
}

function inHeader(header: string): string | undefined {
  const [, scheme = "", rest = ""] = /^(\S+)\s+(\S+)$/.exec(header) ?? [];
  switch (scheme.toLowerCase()) {
    case "bearer":
      return rest;
    case "basic":
      return Buffer.from(rest, "base64url").toString("utf8"); // takes the other alphabet, which curl writes, as well
    default:
      return undefined;
  }
}

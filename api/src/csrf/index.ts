import { randomBytes } from "node:crypto";
import { cookieNamed, isBrowser } from "../browser.ts";
import { isForged } from "../forged.ts";
import { isWrite } from "../methods/index.ts";
import type { Exchange, Stage } from "../stage.ts";
import { type Problem, problem } from "../v1/problem.ts";

const [cookieName, headerName] = ["CSRF", "x-api-csrf"] as const;
/** Where a browser gets the cookie. */
const browsed = /^\/v[13](-public)?(\/|$)/;
/** Where it must show it. A login proves itself. */
const guarded = /^\/v[13](\/|$)/;

/**
 * Keeps pages of others from writing with a visitor's cookie: whoever writes must repeat the value of cookie CSRF, which those pages cannot
 * read, in header X-API-CSRF or parameter CSRF. For browsers alone. A write without the cookie passes, as upstream (apiserver:
 * pkg/server/validate.go): the session's cookie is not sent to it from elsewhere. A link is another matter: what `_method` makes a write
 * of needs the value always, and what a page of another origin writes is refused even with it. Throws a Problem 422 InvalidCSRFToken.
 */
export const csrf: Stage = (exchange, next) => {
  const { request, response, path } = exchange;
  if (guarded.test(path) && isForged(exchange)) throw refusal();
  if (!browsed.test(path) || !isBrowser(request.headers)) return next();
  const cookie = cookieNamed(cookieName, request.headers.cookie);
  if (cookie === undefined) response.appendHeader("Set-Cookie", newCookie());
  if (guarded.test(path) && writes(exchange) && !isProven(exchange, cookie)) {
    throw refusal();
  }
  return next();
};

function refusal(): Problem {
  return problem("InvalidCSRFToken", "Invalid CSRF token", headerName);
}

function isProven({ request, query }: Exchange, cookie: string | undefined): boolean {
  if (cookie === undefined) return isWrite(request.method ?? "GET");
  return (
    cookie !== "" && (cookie === request.headers[headerName] || cookie === query.get(cookieName))
  );
}

/** By its own method or by `_method`: not every route looks at that. */
function writes({ request, query }: Exchange): boolean {
  const named = query.get("_method")?.toUpperCase() || "GET";
  return isWrite(request.method ?? "GET") || isWrite(named);
}

function newCookie(): string {
  return `${cookieName}=${randomBytes(16).toString("hex")}; Path=/; Secure; SameSite=Lax`;
}

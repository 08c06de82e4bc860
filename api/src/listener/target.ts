/** What a request asks for: a target, at one host. */

import type { IncomingMessage } from "node:http";
import { Repeated } from "../repeated.ts";

/** Why a request has none that is served, as it is answered. */
export interface BadTarget {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** Longer targets get 414; the API server's own limit is of the same order. */
const longestTarget = 64 * 1024;
/** A path never names a host: `//a/b`, and `/\a/b`, which a URL takes for that, is refused rather than read as host `a`. */
const namesHost = /^\/[/\\]/;

const bad = { status: 400, code: "BadRequest" };
const malformed: BadTarget = { ...bad, message: "malformed request target" };
const notOneHost: BadTarget = { ...bad, message: "a request has to name one Host" };
const tooLong: BadTarget = {
  status: 414,
  code: "URITooLong",
  message: `a request target may have ${longestTarget} characters`,
};

/** What a request asks for, without its host. Others that ask for the same may have the same one: nobody changes it. */
export type Target = Pick<URL, "pathname" | "search" | "searchParams">;

/** The path as a URL has it and the parameters, or why there are none. */
export function targetOf(request: IncomingMessage): Target | BadTarget {
  const { url = "/", httpVersion, rawHeaders } = request;
  if (url.length > longestTarget) return tooLong;
  const hosts = hostsIn(rawHeaders);
  if (hosts > 1 || (hosts === 0 && httpVersion !== "1.0")) return notOneHost;
  if (namesHost.test(url)) return malformed;
  return plainTargets.of(url, plainTarget) ?? URL.parse(url, "https://localhost") ?? malformed;
}

const plainTargets = new Repeated<Target | undefined>();

/** What a URL leaves as it is: segments that begin with no dot and are not empty, and a query, none of which has to be encoded. */
const plain = /^((?:\/[\w~-][\w.~-]*)+)(\?[!$-&(-;=?-~]+)?$/;

/** What most targets are, without a URL, which takes longer to make than all the rest. */
function plainTarget(url: string): Target | undefined {
  const [, pathname, search = ""] = plain.exec(url) ?? [];
  if (pathname === undefined) return undefined;
  return { pathname, search, searchParams: new URLSearchParams(search) };
}

/** How many hosts a request names: of several, a proxy before us may have gone by another than we (RFC 9112, section 3.2). */
function hostsIn(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  return hosts;
}

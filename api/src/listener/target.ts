/** What a request asks for: a target, at one host. */

import type { IncomingMessage } from "node:http";

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

/** The target as a URL, or why there is none. */
export function targetOf({ url = "/", httpVersion, rawHeaders }: IncomingMessage): URL | BadTarget {
  if (url.length > longestTarget) return tooLong;
  const hosts = hostsIn(rawHeaders);
  if (hosts > 1 || (hosts === 0 && httpVersion !== "1.0")) return notOneHost;
  return namesHost.test(url) ? malformed : (URL.parse(url, "https://localhost") ?? malformed);
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

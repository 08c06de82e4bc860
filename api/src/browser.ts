/** What browsers send, as far as a stage has to know. Pure. */

import type { IncomingHttpHeaders } from "node:http";

/** Whether a browser asks, which sends cookies along whoever's page makes it (apiserver: pkg/server/validate.go). */
export function isBrowser({ "user-agent": agent = "" }: IncomingHttpHeaders): boolean {
  return agent.toLowerCase().includes("mozilla");
}

/** The first cookie of a name in a Cookie header; quotes around its value are no part of it (RFC 6265, 4.1.1). */
export function cookieNamed(name: string, header = ""): string | undefined {
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    if (at < 0 || pair.slice(0, at).trim() !== name) continue;
    const value = pair.slice(at + 1).trim();
    return /^".*"$/.test(value) ? value.slice(1, -1) : value;
  }
  return undefined;
}

/** Whether an Origin is that of a host. Compared as URLs, so that the usual port may be left out, and cases do not count. */
export function isOrigin(origin: string, host: string): boolean {
  const from = URL.parse(origin);
  return (
    from !== null && from.host !== "" && URL.parse(`${from.protocol}//${host}`)?.host === from.host
  );
}

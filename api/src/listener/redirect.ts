/** What plain HTTP gets (dynamiclistener: redirect.go). */

import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { hostOf, isSecure } from "../base-url.ts";
import { send } from "../stage.ts";
import { targetOf } from "./target.ts";

/** Served over plain HTTP too: probes, and proofs for certificates. Whole segments: `/healthXYZ` is none of them. */
const plain = /^\/(ping|healthz|readyz|livez|\.well-known)(\/|$)/;

/**
 * Sends clients to HTTPS: reads by 302, anything else by 400, because a body that has been sent in the clear is not to be sent again.
 * What a proxy has terminated TLS for, paths of `plain`, by what stages will see (`/ping/../v3` is /v3), and what is to be refused anyhow, pass. A host without port stands for the usual ports.
 */
export function redirect(
  httpsPort: number,
  httpPort: () => number,
): (request: IncomingMessage, response: ServerResponse, pass: () => void) => void {
  return (request, response, pass) => {
    const { method = "" } = request;
    const target = targetOf(request);
    if ("status" in target || isSecure(request) || plain.test(target.pathname)) return pass();
    response.setHeader("X-Request-Id", randomUUID());
    if (method !== "GET" && method !== "HEAD") {
      return send(response, 400, "Use HTTPS\n", "text/plain; charset=utf-8");
    }
    const host = secureHost(hostOf(request), httpPort(), httpsPort);
    response.setHeader("Location", `https://${host}${target.pathname}${target.search}`);
    send(response, 302, "", "text/plain; charset=utf-8");
  };
}

/** Our own port is known; behind another that is mapped to it, HTTPS is expected at x443, as upstream has it. */
function secureHost(host: string, httpPort: number, httpsPort: number): string {
  const [, name = host, port] = /^(.*):(\d+)$/.exec(host) ?? [];
  if (port === undefined) return host;
  const number = Number(port);
  const secure = number === httpPort ? httpsPort : Math.floor(number / 1000) * 1000 + 443;
  return secure === 443 ? name : `${name}:${secure}`;
}

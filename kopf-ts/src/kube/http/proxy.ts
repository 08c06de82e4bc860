/** Connections through an HTTP proxy (CONNECT). */

import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { Duplex } from "node:stream";
import { badRequest } from "../paths.ts";
import type { Dial, DialTarget } from "./dial.ts";

/** A proxy's address apart from what proves who we are there. */
export interface Proxy {
  readonly url: URL;
  /** Value of Proxy-Authorization. */
  readonly authorization: string | undefined;
}

/** Reads a kubeconfig's proxy-url. Throws for schemes other than http and https. */
export function parseProxy(text: string): Proxy {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    const what = url === undefined ? "no URL" : `of the scheme ${url.protocol}`;
    throw badRequest(`proxy-url is ${what}, but only http:// and https:// proxies are supported`);
  }
  const user = `${decoded(url.username)}:${decoded(url.password)}`;
  url.username = "";
  url.password = "";
  const authorization =
    user === ":" ? undefined : `Basic ${Buffer.from(user, "utf8").toString("base64")}`;
  return { url, authorization };
}

function decoded(text: string): string {
  const plain = tryDecode(text);
  if (plain !== undefined) return plain;
  throw badRequest("proxy-url has a user or password with a % that encodes nothing; write it %25");
}

function tryDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Dials through the proxy. */
export function proxyDial(proxy: Proxy): Dial {
  return async (target) => {
    const { request } = await (proxy.url.protocol === "https:"
      ? import("node:https")
      : import("node:http"));
    return tunnel(request(connectOptions(proxy, target)), proxy.url);
  };
}

function connectOptions(
  { url, authorization }: Proxy,
  { host, port, signal }: DialTarget,
): RequestOptions {
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return {
    method: "CONNECT",
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port,
    path: authority,
    headers: {
      host: authority,
      ...(authorization === undefined ? {} : { "proxy-authorization": authorization }),
    },
    agent: false,
    signal,
  };
}

/** The stream behind a CONNECT that the proxy accepts. */
function tunnel(request: ClientRequest, url: URL): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    request.on("connect", ({ statusCode = 0 }: IncomingMessage, stream: Duplex, head: Buffer) => {
      if (statusCode < 200 || statusCode > 299) {
        stream.destroy();
        reject(new Error(`the proxy ${url.origin} answered ${statusCode}`));
        return;
      }
      if (head.length > 0) stream.unshift(head);
      resolve(stream);
    });
    request.on("error", (cause) =>
      reject(new Error(`the proxy ${url.origin} cannot be reached: ${cause.message}`, { cause })),
    );
    request.end();
  });
}

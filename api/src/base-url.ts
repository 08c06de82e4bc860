/** Where a client reaches us, as far as it and the proxies on its way say (apiserver: pkg/urlbuilder). */

import type { IncomingMessage } from "node:http";
import { Repeated } from "./repeated.ts";

/** A DNS name, IPv4 or bracketed IPv6 address, perhaps with a port. */
const hostShape = /^([a-z\d]([\w.-]*[a-z\d])?|\[[\da-f:.]+\])(:\d{1,5})?$/i;
/** One or more segments of a path, without anything that would have to be escaped in JSON, headers or logs. */
const prefixShape = /^(\/(?!\.{1,2}(\/|$))[\w.~:-]+)+$/;

/**
 * What URLs in answers begin with: `https://host[:port][/prefix]`, without a slash at the end. Headers that are not of the expected shape
 * count as absent, so that what a client sends can break neither JSON nor headers nor logs. It differs from request to request.
 */
export function baseUrl(request: IncomingMessage): string {
  return `${schemeOf(request)}://${hostOf(request)}${prefixOf(request)}`;
}

/** Whether the client speaks TLS, with us or with a proxy that says so. */
export function isSecure(request: IncomingMessage): boolean {
  return schemeOf(request) === "https";
}

/** The host by which the client calls us, with its port if it named one. */
export function hostOf({ headers }: IncomingMessage): string {
  const named = [headers["x-api-host"], first(headers["x-forwarded-host"]), headers.host];
  return named.find((each) => typeof each === "string" && isHost(each))?.toString() ?? "localhost";
}

function schemeOf({ headers, socket }: IncomingMessage): "http" | "https" {
  switch (first(headers["x-forwarded-proto"])?.toLowerCase()) {
    case "https":
    case "wss":
      return "https";
    case "http":
    case "ws":
      return "http";
    default:
      return "encrypted" in socket && socket.encrypted === true ? "https" : "http";
  }
}

function prefixOf({ headers }: IncomingMessage): string {
  const prefix = headers["x-api-url-prefix"];
  if (typeof prefix !== "string" || prefix.length > 512) return "";
  const trimmed = prefix.replace(/\/$/, "");
  return prefixShape.test(trimmed) ? trimmed : "";
}

const hosts = new Repeated<boolean>();

function isHost(text: string): boolean {
  return text.length <= 255 && hosts.of(text, (host) => hostShape.test(host));
}

/** Proxies in a row add to the end. */
function first(header: string | readonly string[] | undefined): string | undefined {
  const text = typeof header === "string" ? header : header?.[0];
  return text?.split(",", 1)[0]?.trim();
}

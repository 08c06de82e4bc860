/** Headers on their way through: what is ours stays here. Pure; what belongs to connections, kopf-ts takes out. */

import type { RawHeaders } from "kopf-ts";

/** Sessions are for this server alone: a program behind the API server (a Pod, through the subresource proxy) could take or plant them. */
const ourCookies: ReadonlySet<string> = new Set(["R_SESS", "R_OIDC_ID", "CSRF"]);
/** What an answer says of the connection it came on (RFC 9110, 7.6.1). */
const ofConnection: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-connection"],
  ...["te", "trailer", "transfer-encoding", "upgrade"],
]);

/** Whom a request came from, for those behind us. */
export interface Origin {
  /** Of the client, or of the proxy before us. */
  readonly address: string | undefined;
  readonly isSecure: boolean;
}

/** A request's headers, names and values in turn, without our cookies, and with the client's address at the end of X-Forwarded-For. */
export function outgoing(rawHeaders: readonly string[], origin: Origin): string[] {
  const kept: string[] = [];
  const hops: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    const value = rawHeaders[at + 1] ?? "";
    const lower = name.toLowerCase();
    if (lower === "x-forwarded-for") hops.push(value);
    else if (lower === "cookie") keep(kept, name, withoutOurs(value));
    else if (lower !== "x-forwarded-proto") kept.push(name, value);
  }
  if (origin.address !== undefined) hops.push(origin.address);
  keep(kept, "X-Forwarded-For", hops.join(", "));
  return [...kept, "X-Forwarded-Proto", origin.isSecure ? "https" : "http"];
}

/** An answer's headers for the client; redirects to the API server itself are such to us. */
export function incoming(headers: RawHeaders, server: string): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !ofConnection.has(name)) kept[name] = shown(name, value, server);
  }
  return kept;
}

/** The same of an answer that changes the protocol, as lines: with what says of the connection that it does. */
export function switching(headers: RawHeaders): readonly string[] {
  return Object.entries(headers).flatMap(([name, value = []]) => {
    const values = name === "set-cookie" ? notOurs(value) : [value].flat();
    return values.map((each) => `${name}: ${each}`);
  });
}

function shown(name: string, value: string | readonly string[], server: string): string | string[] {
  if (name === "set-cookie") return notOurs(value);
  if (typeof value !== "string") return [...value];
  return name === "location" ? relativeTo(value, server) : value;
}

function notOurs(cookies: string | readonly string[]): string[] {
  return [cookies].flat().filter((each) => !ourCookies.has(nameOf(each)));
}

function keep(headers: string[], name: string, value: string): void {
  if (value !== "") headers.push(name, value);
}

function withoutOurs(cookies: string): string {
  const all = cookies.split(";").filter((each) => !ourCookies.has(nameOf(each)));
  return all.join(";").trim();
}

function nameOf(cookie: string): string {
  return (cookie.split("=", 1)[0] ?? "").trim();
}

function relativeTo(location: string, server: string): string {
  return location.startsWith(`${server}/`) ? location.slice(server.length) : location;
}

import type { Impersonation } from "./client.ts";
import { badRequest } from "./paths.ts";

/**
 * The Impersonate-* headers, names and values in turn. Throws for an empty user: the server would then take the request as our own
 * and grant our own rights.
 */
export function impersonationHeaders({ user, uid, groups, extra }: Impersonation): string[] {
  if (user === "") throw badRequest("an impersonated user needs a name");
  const headers = ["impersonate-user", headerText(user)];
  if (uid !== undefined) headers.push("impersonate-uid", headerText(uid));
  for (const group of groups ?? []) headers.push("impersonate-group", headerText(group));
  for (const [key, values] of Object.entries(extra ?? {})) {
    for (const value of values) headers.push(extraName(key), headerText(value));
  }
  return headers;
}

/** Extra keys are lower case, and bytes that a header name cannot carry are percent-encoded (client-go: transport/round_trippers.go). */
function extraName(key: string): string {
  const escaped = encodeURIComponent(key.toLowerCase()).replaceAll(/[()]/g, percent);
  return `impersonate-extra-${escaped}`;
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Header values go out byte by byte, so that UTF-8 survives; line breaks are refused, they would begin another header. */
function headerText(value: string): string {
  if (/[\r\n\0]/.test(value)) throw badRequest("an impersonation value contains a line break");
  return Buffer.from(value, "utf8").toString("latin1");
}

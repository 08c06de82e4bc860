/** Header mode: who a request says to be, without any proof. For tests, and for development on this machine (steve: pkg/auth). Pure. */

import type { IncomingMessage } from "node:http";
import type { Caller } from "@drover/platform";

/** Whom requests act as that name nobody. */
export const serverUser: Caller = {
  username: "admin",
  groups: ["system:masters", "system:authenticated"],
};

const extraPrefix = "impersonate-extra-";

/**
 * The caller that Impersonate-* headers name; undefined without any, `malformed` for groups or more without a user. Everybody but an anonymous
 * is in system:authenticated, as for the API server, to whom the same headers go.
 */
export function namedCaller(
  headers: IncomingMessage["headersDistinct"],
): Caller | "malformed" | undefined {
  const [username = ""] = headers["impersonate-user"] ?? [];
  const [uid] = headers["impersonate-uid"] ?? [];
  const groups = headers["impersonate-group"] ?? [];
  const extra = extraOf(headers);
  if (username !== "") {
    return { username, ...(uid && { uid }), groups: completed(groups), ...(extra && { extra }) };
  }
  return uid || groups.length > 0 || extra ? "malformed" : undefined;
}

/** As the API server completes them (kubernetes: apiserver/pkg/endpoints/filters/impersonation). */
function completed(groups: readonly string[]): readonly string[] {
  const given = [...new Set(groups)];
  const isSettled = given.some((each) => /^system:(un)?authenticated$/.test(each));
  return isSettled ? given : [...given, "system:authenticated"];
}

function extraOf(
  headers: IncomingMessage["headersDistinct"],
): Readonly<Record<string, readonly string[]>> | undefined {
  const entries = Object.entries(headers).flatMap(([name, values]) =>
    name.startsWith(extraPrefix) && values
      ? [[decoded(name.slice(extraPrefix.length)), values]]
      : [],
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Keys are percent-encoded where a header's name cannot hold them. */
function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

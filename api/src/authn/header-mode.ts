/** Header mode: who a request says to be, without any proof. For tests, and for development on this machine (steve: pkg/auth). Pure. */

import type { Caller } from "@drover/platform";

/** Whom requests act as that name nobody. */
export const serverUser: Caller = {
  username: "admin",
  groups: ["system:masters", "system:authenticated"],
};

const prefix = /^impersonate-/i;
const shortest = "impersonate-".length;
const extraPrefix = "impersonate-extra-";

/** The values of each header that names somebody, by its name in lower case. */
type Named = ReadonlyMap<string, readonly string[]>;

/**
 * The caller that Impersonate-* headers name; undefined without any, `malformed` for groups or more without a user. Everybody but an anonymous
 * is in system:authenticated, as for the API server, to whom the same headers go.
 */
export function namedCaller(rawHeaders: readonly string[]): Caller | "malformed" | undefined {
  const named = namedIn(rawHeaders);
  const [username = ""] = named.get("impersonate-user") ?? [];
  const [uid] = named.get("impersonate-uid") ?? [];
  const groups = named.get("impersonate-group") ?? [];
  const extra = extraOf(named);
  if (username !== "") {
    return { username, ...(uid && { uid }), groups: completed(groups), ...(extra && { extra }) };
  }
  return uid || groups.length > 0 || extra ? "malformed" : undefined;
}

/** Read off what came: node:http would make lists of all headers first. */
function namedIn(rawHeaders: readonly string[]): Named {
  const named = new Map<string, string[]>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [header = "", value = ""] = [rawHeaders[at], rawHeaders[at + 1]];
    if (header.length < shortest || !prefix.test(header)) continue;
    const name = header.toLowerCase();
    const values = named.get(name) ?? [];
    named.set(name, values);
    values.push(value);
  }
  return named;
}

/** As the API server completes them (kubernetes: apiserver/pkg/endpoints/filters/impersonation). */
function completed(groups: readonly string[]): readonly string[] {
  const given = [...new Set(groups)];
  const isSettled = given.some((each) => /^system:(un)?authenticated$/.test(each));
  return isSettled ? given : [...given, "system:authenticated"];
}

function extraOf(named: Named): Readonly<Record<string, readonly string[]>> | undefined {
  const entries: [string, readonly string[]][] = [];
  for (const [name, values] of named) {
    if (name.startsWith(extraPrefix))
      entries.push([decoded(name.slice(extraPrefix.length)), values]);
  }
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

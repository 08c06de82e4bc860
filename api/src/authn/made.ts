/** Logins, and what they were made of. */

import type { Caller, StoredToken } from "@drover/platform";
import type { Login } from "../caller.ts";
import { callerOf, type Known } from "./identity.ts";

/** All that goes into a login. */
export interface Sources extends Known {
  readonly token: StoredToken;
}

/** Makes logins, and knows of each what it was made of. */
export class MadeLogins {
  readonly #ofTokens = new WeakMap<StoredToken, Login>();
  readonly #sources = new WeakMap<Login, Sources>();

  /** The same object as long as nothing changes that goes into it. */
  of(sources: Sources): Login {
    const { token } = sources;
    const last = this.#ofTokens.get(token);
    if (last !== undefined && isSame(this.#sources.get(last), sources)) return last;
    const login = { caller: callerOf(token, sources), token };
    this.#ofTokens.set(token, login);
    this.#sources.set(login, sources);
    return login;
  }

  sourcesOf(login: Login): Sources | undefined {
    return this.#sources.get(login);
  }

  /** Whether the same caller would be made of what there is now: objects change with each use and login, groups seldom. */
  isStill(login: Login, now: Sources): boolean {
    const was = this.#sources.get(login);
    if (was === undefined || isSame(was, now)) return true;
    if (textOf(callerOf(now.token, now)) !== textOf(login.caller)) return false;
    this.#sources.set(login, now); // so that the next look costs as little
    return true;
  }
}

/** Groups of a token are in the object that it was read from. */
function isSame(one: Sources | undefined, { token, user, attribute, host }: Sources): boolean {
  return (
    one?.token === token && one.user === user && one.attribute === attribute && one.host === host
  );
}

/** Equal for callers who are the same, in whatever order a provider told their groups. */
function textOf({ groups, ...person }: Caller): string {
  return JSON.stringify([[...groups].sort(), person]);
}

/** What an authentication provider is to the login routes. */

import type { AuthConfig, Principal, User } from "@drover/crds";
import type { Cache } from "kopf-ts";
import type { LoginInput } from "./input.ts";

/** Somebody who has proved who they are. */
export interface Person {
  readonly user: User;
  readonly principal: Principal;
  readonly groups: readonly Principal[];
  /** What goes along with requests of theirs: principalid, username. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** An authentication provider. */
export interface Provider {
  /** As tokens and AuthConfigs call it, such as `local`. */
  readonly name: string;
  /** As clients call its kind, such as `localProvider`. */
  readonly type: string;
  /**
   * The person whose credentials these are; undefined for wrong ones, after the same work whatever is wrong. Rejects with a BusyError when too many
   * wait, and with an ApiError where it cannot tell.
   */
  authenticate(input: LoginInput, signal: AbortSignal): Promise<Person | undefined>;
}

/** Whether logins through it are allowed: for `local` unless its AuthConfig says no, for others if theirs says yes. */
export function isEnabled(
  { name }: Pick<Provider, "name">,
  configs: Pick<Cache<AuthConfig>, "get">,
): boolean {
  const enabled = configs.get(name)?.enabled;
  return name === "local" ? enabled !== false : enabled === true;
}

/** A provider as /v1-public lists it. */
export function listed({ name, type }: Provider): object {
  return { id: name, type };
}

/** A provider as /v3-public lists it; `base` is what our URLs begin with. */
export function v3Listed({ name, type }: Provider, base: string): object {
  const self = `${base}/v3-public/${type}s/${name}`;
  return {
    id: name,
    type,
    baseType: "authProvider",
    links: { self },
    actions: { login: `${self}?action=login` },
  };
}

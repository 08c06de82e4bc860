/** Of whom somebody asks. */

import { User, UserAttribute } from "@drover/crds";
import { type Caller, findNamed, findUser, givenGroups, groupsOfLogin } from "@drover/platform";
import type { Client } from "kopf-ts";

/** Somebody whose rights are looked at. */
export interface Subject {
  readonly caller: Caller;
  /** How to call them: `u-abc12 (Jane)`. */
  readonly title: string;
  /** Whether a User of ours stands behind the name. */
  readonly isKnown: boolean;
  /** A User that is disabled can log in nowhere, whatever roles say. */
  readonly isDisabled: boolean;
}

/**
 * Who is meant by the name of a User, its user name, or a principal; anybody else is taken for somebody whom only the cluster knows. `groups` come on top of those
 * that the last login told.
 */
export async function findSubject(
  client: Client,
  text: string,
  groups: readonly string[],
): Promise<Subject> {
  const user = await userOf(client, text);
  if (user === undefined) {
    const caller = { username: text, groups: [...new Set([...givenGroups(text), ...groups])] };
    return { caller, title: text, isKnown: false, isDisabled: false };
  }
  const { name } = user.metadata;
  const told = groupsOfLogin(await client.find(UserAttribute, name));
  const title = user.displayName ? `${name} (${user.displayName})` : name;
  const caller = { username: name, groups: [...new Set([...told, ...groups])] };
  return { caller, title, isKnown: true, isDisabled: user.enabled === false };
}

async function userOf(client: Client, text: string): Promise<User | undefined> {
  if (text.includes("://")) return findUser(client, text);
  const named = await findNamed(client, User, text, {});
  if (named !== undefined) return named;
  const { items } = await client.list(User);
  return items.find(({ username }) => username === text);
}

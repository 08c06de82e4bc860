/** A default admin where there is none that works (rancher: pkg/data/management/ensure_admin_user.go). */

import { randomUUID } from "node:crypto";
import { GlobalRoleBinding, User } from "@drover/crds";
import type { Confidential } from "@drover/platform";
import { fieldManager } from "../write.ts";
import { adminUser } from "./desired.ts";
import { type Access, refuseTerminating, requestOptions } from "./ensure.ts";
import { adminLabel, adminRole, adminUsername, nameFrom, prefixes } from "./names.ts";
import { generatePassword } from "./password.ts";
import { NoSingleAdmin } from "./reset.ts";
import { bindAdmin, findPassword, storePassword } from "./user.ts";

/** What became of the default admin. */
export interface EnsuredAdmin {
  readonly user: string;
  /** What was done, as sentences; empty when nothing was missing. */
  readonly done: readonly string[];
  /** To be shown once; absent when the admin kept the password that it had. */
  readonly password?: Confidential;
}

/**
 * Sees to it that one user `admin` exists, is enabled, has the label of the default admin, a password and the GlobalRole `admin`. One that has a password keeps it.
 * Rejects with NoSingleAdmin when several users have the name, and when the GlobalRole is missing. Safe to be cut short and run again.
 */
export async function ensureDefaultAdmin(access: Access): Promise<EnsuredAdmin> {
  const found = await findAdmin(access);
  const done: string[] = [];
  const user = found === undefined ? await create(access, done) : await repair(access, found, done);
  const password = await ensurePassword(access, user, done);
  if (!(await isBound(access, user))) {
    await bindAdmin(access, user);
    done.push(`gave it the GlobalRole ${adminRole}`);
  }
  const { name } = user.metadata;
  return { user: name, done, ...(password !== undefined && { password }) };
}

async function findAdmin(access: Access): Promise<User | undefined> {
  const admins: User[] = [];
  for await (const { items } of access.client.pages(User, requestOptions(access))) {
    admins.push(...items.filter(({ username }) => username === adminUsername));
  }
  if (admins.length < 2) return admins[0] && refuseTerminating(admins[0]);
  const names = admins.map(({ metadata }) => metadata.name).join(", ");
  throw new NoSingleAdmin(`users ${names} have the username ${adminUsername}; delete all but one`);
}

/** Under a name of chance: what may be left of an admin before is not for this one. */
async function create(access: Access, done: string[]): Promise<User> {
  const name = nameFrom(prefixes.user, randomUUID());
  const options = { ...requestOptions(access), fieldManager };
  const user = await access.client.create(adminUser(name, false), options);
  done.push(`made user ${name}`);
  return user;
}

async function repair(access: Access, user: User, done: string[]): Promise<User> {
  const { metadata } = user;
  const labels = { ...metadata.labels, ...adminLabel };
  const isLabelled = Object.entries(adminLabel).every(
    ([key, value]) => metadata.labels?.[key] === value,
  );
  const isEnabled = user.enabled !== false;
  if (isLabelled && isEnabled) return user;

  if (!isEnabled) done.push("enabled it");
  if (!isLabelled) done.push("gave it the label of the default admin");
  const options = { ...requestOptions(access), fieldManager };
  return access.client.update(
    { ...user, metadata: { ...metadata, labels }, ...(!isEnabled && { enabled: true }) },
    options,
  );
}

async function ensurePassword(
  access: Access,
  user: User,
  done: string[],
): Promise<Confidential | undefined> {
  if (user.password || (await findPassword(access, user)) !== undefined) return undefined;
  const password = generatePassword();
  await storePassword(access, user, password);
  done.push("gave it a password");
  return password;
}

async function isBound(access: Access, { metadata }: User): Promise<boolean> {
  for await (const { items } of access.client.pages(GlobalRoleBinding, requestOptions(access))) {
    const bound = items.some(
      (binding) =>
        binding.userName === metadata.name &&
        binding.globalRoleName === adminRole &&
        binding.metadata.deletionTimestamp === undefined,
    );
    if (bound) return true;
  }
  return false;
}

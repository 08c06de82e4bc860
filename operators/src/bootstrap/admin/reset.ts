/** A new password for the default admin (rancher: pkg/data/management/resetpassword.go). */

import { User } from "@drover/crds";
import type { Confidential } from "@drover/platform";
import { fieldManager } from "../write.ts";
import { type Access, requestOptions } from "./ensure.ts";
import { adminSelector } from "./names.ts";
import { generatePassword } from "./password.ts";
import { storePassword } from "./user.ts";

/** An admin and its new password, to be shown once. */
export interface NewPassword {
  readonly user: string;
  readonly password: Confidential;
}

/** There is not exactly one default admin. The message says what to do. */
export class NoSingleAdmin extends Error {
  override readonly name = "NoSingleAdmin";
}

/**
 * Gives the one default admin, found by its label, a generated password, which it need not change at once. Sessions and tokens stay as they are. Rejects with
 * NoSingleAdmin when there is none or more than one. Cut short, it may leave the admin without the old password: run it again.
 */
export async function resetAdminPassword(access: Access): Promise<NewPassword> {
  const user = await theAdmin(access);
  const password = generatePassword();
  const ready = await withoutOld(access, user);
  await storePassword(access, ready, password);
  return { user: user.metadata.name, password };
}

async function theAdmin(access: Access): Promise<User> {
  const options = { ...requestOptions(access), labelSelector: adminSelector };
  const { items } = await access.client.list(User, options);
  const [admin, ...others] = items.filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
  if (admin === undefined) {
    throw new NoSingleAdmin(
      `no user has the label ${adminSelector}; \`drover ensure-default-admin\` makes one`,
    );
  }
  if (others.length === 0) return admin;
  const names = [admin, ...others].map(({ metadata }) => metadata.name);
  throw new NoSingleAdmin(
    `users ${names.join(", ")} have the label ${adminSelector}; take it from all but one`,
  );
}

/** First of all the password that old versions kept in the user goes: else its Secret would be made of it later. */
async function withoutOld({ client, ...access }: Access, user: User): Promise<User> {
  if (!user.password && user.mustChangePassword !== true) return user;
  const { password: _, ...rest } = user;
  const options = { ...requestOptions({ client, ...access }), fieldManager };
  return client.update<User>({ ...rest, mustChangePassword: false }, options);
}

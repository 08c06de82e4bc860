/** Moves passwords from User.password, where old versions kept them, to Secrets. */

import type { User } from "@drover/crds";
import { parseLegacyPassword, passwordNamespace, passwordSecret } from "@drover/platform";
import { type Context, isAlreadyExists, TemporaryError } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { reasons } from "./names.ts";

/** Whether the password is in a Secret now, so that the field can be cleared. A Secret that is there already is newer, and stays. */
export async function movePassword(user: User, context: Context): Promise<boolean> {
  if (!user.password) return false;
  const { client, events } = context;
  const hash = parseLegacyPassword(user.password);
  if (hash === undefined) {
    const message =
      "field password is no bcrypt hash, so nobody can log in with it; it is left as it is";
    events.warning(reasons.passwordUnreadable, message);
    return false;
  }
  try {
    await client.create(passwordSecret(user, hash));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return keepTheirs(user, context);
  }
  events.normal(
    reasons.passwordMoved,
    `moved the password to Secret ${passwordNamespace}/${user.metadata.name}`,
  );
  return true;
}

/** One of a former user of the name is about to be collected, and the password would go with it. */
async function keepTheirs({ metadata }: User, { client }: Context): Promise<boolean> {
  const found = await client.find(Secret, metadata.name, { namespace: passwordNamespace });
  const owners = found?.metadata.ownerReferences ?? [];
  const isFormer = owners.length > 0 && owners.every(({ uid }) => uid !== metadata.uid);
  if (found !== undefined && !isFormer && found.metadata.deletionTimestamp === undefined)
    return true;
  if (found !== undefined) await client.delete(found);
  throw new TemporaryError("the password Secret of a former user is on its way out");
}

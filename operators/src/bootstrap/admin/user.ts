/** Writes of the default admin: its password and its binding. */

import { GlobalRole, GlobalRoleBinding, type User } from "@drover/crds";
import {
  type Confidential,
  hashPassword,
  passwordNamespace,
  passwordSecret,
} from "@drover/platform";
import { Secret } from "kopf-ts/kinds";
import { fieldManager } from "../write.ts";
import { adminBinding } from "./desired.ts";
import { type Access, ensure, refuseTerminating, requestOptions } from "./ensure.ts";
import { adminRole } from "./names.ts";

/** The Secret with the user's password; undefined when it has none, or only that of a former user of its name. */
export async function findPassword(access: Access, user: User): Promise<Secret | undefined> {
  const secret = await storedPassword(access, user);
  const owners = secret?.metadata.ownerReferences ?? [];
  return owners.some(({ uid }) => uid === user.metadata.uid) ? secret : undefined;
}

/** Gives the user the password, in place of any other. Rejects with a conflict when somebody else does so at the same time. */
export async function storePassword(
  access: Access,
  user: User,
  password: Confidential,
): Promise<void> {
  const stored = await storedPassword(access, user);
  const options = { ...requestOptions(access), fieldManager };
  const secret = passwordSecret(user, await hashPassword(password.reveal()));
  if (stored === undefined) {
    await access.client.create(secret, options);
    return;
  }
  const { resourceVersion = "" } = refuseTerminating(stored).metadata;
  await access.client.update(
    { ...secret, metadata: { ...secret.metadata, resourceVersion } },
    options,
  );
}

function storedPassword(access: Access, { metadata }: User): Promise<Secret | undefined> {
  const options = { ...requestOptions(access), namespace: passwordNamespace };
  return access.client.find(Secret, metadata.name, options);
}

/** Makes the user an admin. Rejects where there is no GlobalRole `admin`. */
export async function bindAdmin(access: Access, user: User): Promise<GlobalRoleBinding> {
  const role = await access.client.get(GlobalRole, adminRole, requestOptions(access));
  return ensure(access, GlobalRoleBinding, adminBinding(user, role));
}

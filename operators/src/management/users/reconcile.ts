import { GlobalRole, type User } from "@drover/crds";
import { applySet, type Context, done, isAlreadyExists, type Result, requeueAfter } from "kopf-ts";
import { initialBinding, missingRoles, userPatch, viewBinding, viewRole } from "./desired.ts";
import { lockOut } from "./lock-out.ts";
import { movePassword } from "./passwords.ts";
import { globalBindingsOf } from "./references.ts";
import { removeWrongBinding, viewSet } from "./view.ts";

/** Sees to it that the user can read itself, has its roles and its principal, and that a disabled one is locked out. */
export async function keep(user: User, context: Context): Promise<Result> {
  await lockOut(user, context);

  if (await removeWrongBinding(user, context)) return requeueAfter(0);
  await applySet(context.client, [viewRole(user), viewBinding(user)], viewSet(user, context));

  const given = await giveRoles(user, context);
  const passwordMoved = await movePassword(user, context);
  const merge = userPatch(user, { given, passwordMoved }, context.clock);
  if (merge !== undefined) await context.client.patch(refOf(user), { merge });
  return done;
}

/** Binds the roles that the user lacks, and tells which of them it has now. A role that does not exist is given when it comes. */
async function giveRoles(user: User, { client, cache }: Context): Promise<readonly string[]> {
  const lacking = missingRoles(user);
  if (lacking.length === 0) return [];
  const bound = new Set(globalBindingsOf(user, cache).map(({ globalRoleName }) => globalRoleName));
  const given: string[] = [];
  for (const name of lacking) {
    const role = cache(GlobalRole).get(name);
    if (!bound.has(name)) {
      if (role === undefined || role.metadata.deletionTimestamp !== undefined) continue;
      await bind(user, role, client);
    }
    given.push(name);
  }
  return given;
}

/** The binding's name follows from user and role, so one that is there is ours, from a run that was cut off. */
async function bind(user: User, role: GlobalRole, client: Context["client"]): Promise<void> {
  try {
    await client.create(initialBinding(user, role));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

function refOf({ apiVersion, kind, metadata: { name } }: User) {
  return { apiVersion, kind, metadata: { name } };
}

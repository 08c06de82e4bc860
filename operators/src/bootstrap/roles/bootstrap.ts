/** Brings the built-in roles into the cluster. */

import { GlobalRole, RoleTemplate } from "@drover/crds";
import type { FeatureName } from "@drover/platform";
import { type Kind, type TaskContext, TemporaryError } from "kopf-ts";
import { bringAbout, type Changes } from "../write.ts";
import { globalRoles } from "./data/global-roles.ts";
import { roleTemplates } from "./data/role-templates.ts";
import { desiredRoles, type Role, type RoleChanges, terminating } from "./desired.ts";

/** What decides which roles there are. */
export interface RoleOptions {
  /** Whether a feature is on. */
  readonly features: (name: FeatureName) => boolean;
}

/**
 * Makes, repairs and removes built-in roles until they are as this version brings them; what there is is read live. When nothing differs it sends no
 * write. Safe to be cut short anywhere and to be run again. Rejects when others keep writing, and with a TemporaryError while a built-in role is
 * on its way out: it can only be made anew once it is gone.
 */
export async function bootstrapRoles(
  context: TaskContext,
  { features }: RoleOptions,
): Promise<void> {
  await bring(context, GlobalRole, globalRoles({ oidcProvider: features("oidc-provider") }));
  await bring(context, RoleTemplate, roleTemplates);
}

async function bring<T extends Role>(
  context: TaskContext,
  kind: Kind<T>,
  builtin: readonly T[],
): Promise<void> {
  let leaving: readonly T[] = [];
  const written = await bringAbout(context, async () => {
    const existing = await everyRole(context, kind);
    leaving = terminating(builtin, existing);
    return basesFirst(desiredRoles(builtin, existing));
  });
  if (written > 0) context.log.info("wrote built-in roles", { kind: kind.kind, written });
  for (const { metadata } of leaving) {
    throw new TemporaryError(
      `built-in ${kind.kind} ${metadata.name} is being deleted; it is made anew once it is gone`,
    );
  }
}

/** Who reads a template finds those that it inherits. */
function basesFirst({ create, ...others }: RoleChanges<Role>): Changes {
  const inherits = (role: Role): boolean =>
    "roleTemplateNames" in role && (role.roleTemplateNames ?? []).length > 0;
  return {
    ...others,
    create: create.filter((role) => !inherits(role)),
    createLast: create.filter(inherits),
  };
}

async function everyRole<T extends Role>(
  { client, signal }: TaskContext,
  kind: Kind<T>,
): Promise<readonly T[]> {
  const roles: T[] = [];
  for await (const { items } of client.pages(kind, { signal })) roles.push(...items);
  return roles;
}

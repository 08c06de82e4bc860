import { RoleTemplate, roleTemplateLabels, roleTemplateNames } from "@drover/crds";
import { type OwnerLabel, type Part, release, settle, tell, throwForRetry } from "@drover/platform";
import { type CacheAccess, type Context, done, type Result, removeFinalizer } from "kopf-ts";
import { ClusterRole } from "kopf-ts/kinds";
import { managementRoles, type Sources } from "./desired.ts";
import { managementRoles as index, legacyFinalizers } from "./names.ts";

/** Makes the ClusterRoles of a RoleTemplate on the management cluster be what its rules ask for. */
export async function reconcile(template: RoleTemplate, context: Context): Promise<Result> {
  const isLeaving = template.metadata.deletionTimestamp !== undefined;
  const objects = isLeaving ? [] : managementRoles(template, sourcesIn(context.cache));
  const part: Part = { id: "drover-management", kinds: [ClusterRole], objects };
  const ownership = { owner: template, label: labelOf(template.metadata.name) };
  const [[problem, ...others] = []] = await settle([part], ownership, context);
  if (problem !== undefined) {
    const { reason, message } = tell([problem, ...others]);
    context.events.warning(reason, message);
    throwForRetry([problem, ...others]);
  }
  return isLeaving ? letGo(template, context) : done;
}

/** Takes away a finalizer of Rancher's, who has nothing left to do. The change leads to another run, which sees the next. */
async function letGo(template: RoleTemplate, { client }: Context): Promise<Result> {
  const held = template.metadata.finalizers?.find((each) => legacyFinalizers.includes(each));
  if (held !== undefined) await removeFinalizer(client, template, held);
  return done;
}

/** The template was deleted: so are its roles, at once. */
export async function forget(name: string, context: Context): Promise<Result> {
  await release({ kind: RoleTemplate, name, label: labelOf(name) }, [ClusterRole], context);
  return done;
}

function labelOf(name: string): OwnerLabel {
  const value = roleTemplateNames.ownerLabel(name);
  return { key: roleTemplateLabels.clusterRoleOwner, value, index };
}

function sourcesIn(cache: CacheAccess): Sources {
  return {
    roleTemplate: (name) => cache(RoleTemplate).get(name),
    clusterRole: (name) => cache(ClusterRole).get(name)?.rules ?? undefined,
  };
}

import { GlobalRole, globalRoleNames, labels, localClusterName } from "@drover/crds";
import { type OwnerLabel, reportCluster, settle, throwForRetry, withdraw } from "@drover/platform";
import { type CacheAccess, type Context, done, keyOf, type Result } from "kopf-ts";
import { Namespace, Role } from "kopf-ts/kinds";
import { inheritedRoles, type Wanted } from "./desired.ts";
import { condition } from "./names.ts";

const part = { id: "drover-inherited-roles", kinds: [Role] } as const;

/** Makes the Roles of a GlobalRole in the cluster be what its inherited rules say, and tells in its status what fails here. */
export async function reconcile(role: GlobalRole, context: Context): Promise<Result> {
  if (context.cluster === localClusterName) return done;
  const { name, deletionTimestamp } = role.metadata;
  const wanted =
    deletionTimestamp === undefined ? inheritedRoles(role, isOpenIn(context.cache)) : [];
  const objects = wanted.flatMap((each) => standing(each, context.cache));
  const ownership = { owner: role, label: labelOf(name) };
  const [problems = []] = await settle([{ ...part, objects }], ownership, context);
  if (deletionTimestamp === undefined) {
    await reportCluster(role, "conditions", { type: condition, problems }, context);
  }
  throwForRetry(problems);
  return done;
}

/** The role was deleted: so are its Roles. */
export async function forget(name: string, context: Context): Promise<Result> {
  const withdrawn = { kind: GlobalRole, key: name, label: labelOf(name), parts: [part] };
  throwForRetry(await withdraw(withdrawn, context));
  return done;
}

/** A Role whose rules are faulty stays as it is, for a part of them is what nobody asked for; the leader tells what is wrong. */
function standing({ role, isFaulty }: Wanted, cache: CacheAccess): readonly Role[] {
  if (!isFaulty) return [role];
  const live = cache(Role).get(keyOf(role));
  return live === undefined ? [] : [{ ...role, rules: live.rules ?? null }];
}

function isOpenIn(cache: CacheAccess): (namespace: string) => boolean {
  return (name) => {
    const namespace = cache(Namespace).get(name);
    return namespace !== undefined && namespace.metadata.deletionTimestamp === undefined;
  };
}

function labelOf(name: string): OwnerLabel {
  return { key: labels.globalRoleOwner, value: globalRoleNames.ownerLabel(name) };
}

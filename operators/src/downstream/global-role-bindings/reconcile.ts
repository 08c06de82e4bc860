import {
  GlobalRole,
  GlobalRoleBinding,
  globalRoleBindingNames,
  labels,
  localClusterName,
} from "@drover/crds";
import {
  findInHub,
  type OwnerLabel,
  reportCluster,
  settle,
  throwForRetry,
  withdraw,
} from "@drover/platform";
import { type CacheAccess, type Context, done, type Result } from "kopf-ts";
import { Namespace, RoleBinding } from "kopf-ts/kinds";
import { inheritedBindings } from "./desired.ts";
import { condition } from "./names.ts";

const part = { id: "drover-inherited-bindings", kinds: [RoleBinding] } as const;

/** Makes the RoleBindings of a GlobalRoleBinding in the cluster be what its role says, and tells in its status what fails here. */
export async function reconcile(binding: GlobalRoleBinding, context: Context): Promise<Result> {
  if (context.cluster === localClusterName) return done;
  const { name, deletionTimestamp } = binding.metadata;
  const isLeaving = deletionTimestamp !== undefined;
  const role = isLeaving ? undefined : await findInHub(GlobalRole, binding.globalRoleName, context);
  const objects = inheritedBindings(binding, role, isOpenIn(context.cache));
  const ownership = { owner: binding, label: labelOf(name) };
  const [problems = []] = await settle([{ ...part, objects }], ownership, context);
  if (!isLeaving) {
    await reportCluster(binding, "remoteConditions", { type: condition, problems }, context);
  }
  throwForRetry(problems);
  return done;
}

/** The binding was deleted: so are its RoleBindings. */
export async function forget(name: string, context: Context): Promise<Result> {
  const withdrawn = { kind: GlobalRoleBinding, key: name, label: labelOf(name), parts: [part] };
  throwForRetry(await withdraw(withdrawn, context));
  return done;
}

function isOpenIn(cache: CacheAccess): (namespace: string) => boolean {
  return (name) => {
    const namespace = cache(Namespace).get(name);
    return namespace !== undefined && namespace.metadata.deletionTimestamp === undefined;
  };
}

function labelOf(name: string): OwnerLabel {
  return { key: labels.globalRoleBindingOwner, value: globalRoleBindingNames.ownerLabel(name) };
}

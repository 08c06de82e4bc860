import {
  ClusterRoleTemplateBinding,
  clusterBindingOwnerKey,
  impersonationNamespace,
  impersonatorName,
  RoleTemplate,
  User,
} from "@drover/crds";
import {
  type Claimant,
  claim,
  downstreamLegacyOf,
  dropClusterFinalizers,
  findInHub,
  noUserMessage,
  type Problem,
  tell,
  throwForRetry,
  unclaim,
} from "@drover/platform";
import {
  type ConditionUpdate,
  type Context,
  done,
  keyOf,
  parseKey,
  type Result,
  requeueAfter,
} from "kopf-ts";
import { ClusterRoleBinding, ServiceAccount } from "kopf-ts/kinds";
import { clusterRoleBindings } from "./desired.ts";
import { conditions, reasons } from "./names.ts";
import { report, untilTold } from "./status.ts";

const kinds = [ClusterRoleBinding];

/** Makes the ClusterRoleBinding of a ClusterRoleTemplateBinding in its cluster be what it says, and tells in its status how that went. */
export async function reconcile(
  binding: ClusterRoleTemplateBinding,
  context: Context,
): Promise<Result> {
  if (binding.metadata.deletionTimestamp !== undefined) return letGo(binding, context);
  const template = await findInHub(RoleTemplate, binding.roleTemplateName, context);
  const { bindings, obstacle } = clusterRoleBindings(binding, template, context.cluster);
  const legacy = downstreamLegacyOf(binding, kinds, context.cache);
  const wanted = { kinds, objects: bindings, legacy };
  const problems = await claim(wanted, claimantOf(keyOf(binding), context.cluster), context);
  const told = [obstacle ?? conditionOf(problems), ...impersonator(binding, context)];
  const left = problems.length > 0 ? 0 : untilTold(binding, told, context.clock);
  const after = left > 0 ? binding : await report(binding, told, context);
  throwForRetry(problems);
  await dropClusterFinalizers(after, context);
  return left > 0 ? requeueAfter(left) : done;
}

/** While finalizers of others hold a binding that is being deleted, it grants nothing any more. */
async function letGo(binding: ClusterRoleTemplateBinding, context: Context): Promise<Result> {
  const wanted = { kinds, objects: [], legacy: downstreamLegacyOf(binding, kinds, context.cache) };
  throwForRetry(await claim(wanted, claimantOf(keyOf(binding), context.cluster), context));
  await dropClusterFinalizers(binding, context);
  return done;
}

/** The binding was deleted: so is what it granted. */
export async function forget(key: string, context: Context): Promise<Result> {
  throwForRetry(await unclaim(kinds, claimantOf(key, context.cluster), context));
  return done;
}

function claimantOf(key: string, cluster: string): Claimant {
  const label = clusterBindingOwnerKey(parseKey(key).name);
  return { kind: ClusterRoleTemplateBinding, cluster, key, label };
}

function conditionOf([first, ...rest]: readonly Problem[]): ConditionUpdate {
  const type = conditions.binding;
  return first === undefined
    ? { type, status: "True", reason: reasons.bindingExists, message: "" }
    : { type, status: "False", ...tell([first, ...rest]) };
}

/** Whether requests of the user can reach the cluster. The account is made by others; a group has none. */
function impersonator(
  { userName }: ClusterRoleTemplateBinding,
  { cache, hub }: Context,
): readonly ConditionUpdate[] {
  if (!userName) return [];
  const type = conditions.impersonator;
  const account = cache(ServiceAccount).get(
    `${impersonationNamespace}/${impersonatorName(userName)}`,
  );
  if (account !== undefined && account.metadata.deletionTimestamp === undefined) {
    return [{ type, status: "True", reason: reasons.impersonatorExists, message: "" }];
  }
  if (hub.cache(User).get(userName) === undefined) {
    return [{ type, status: "False", reason: reasons.noUser, message: noUserMessage(userName) }];
  }
  const message = "the account is not there yet";
  return [{ type, status: "Unknown", reason: reasons.waitsForImpersonator, message }];
}

import { Cluster, ClusterRoleTemplateBinding, GlobalRoleBinding, labels } from "@drover/crds";
import { accessReads, type Rights } from "@drover/platform";
import { readable } from "kopf-ts";
import {
  type AdmissionContext,
  allow,
  deny,
  type Mutator,
  type UserInfo,
  type Validator,
  type Verdict,
} from "kopf-ts/admission";
import { named } from "../binding-name.ts";
import { cachedOrLive } from "../live.ts";
import {
  judgeDuplicate,
  judgeRights,
  sameGrantIndex,
  templateOf,
  unprocessable,
} from "../template-grants.ts";
import { isTerminating, notTerminating } from "../terminating.ts";
import { firstRefusal, unless } from "../verdicts.ts";
import { bindingProblem, changeProblem, namesOthers, templateProblem } from "./rules.ts";

const clusterOf = ({ clusterName }: ClusterRoleTemplateBinding): string => clusterName;

/** Refuses bindings in clusters that are wrong, given twice, or hand out more than their maker holds. */
export const clusterRoleTemplateBindingValidator: Validator<ClusterRoleTemplateBinding> = {
  kind: ClusterRoleTemplateBinding,
  rules: [{ operations: ["CREATE", "UPDATE"], matchConditions: [notTerminating] }],
  reads: [
    ...accessReads,
    Cluster,
    readable(ClusterRoleTemplateBinding, { indexes: sameGrantIndex(clusterOf) }),
  ],
  validate: ({ operation, object, oldObject, user }, context) => {
    if (operation === "DELETE" || isTerminating(object)) return allow();
    if (operation === "CREATE") return judgeNew(object, user, context);

    const verdict = unless(changeProblem(oldObject, object), unprocessable);
    const done = !verdict.allowed || !namesOthers(oldObject, object);
    return done ? verdict : judgeGrant(object, user, context);
  },
};

/** Gives bindings that are created with generateName a name that follows from what they say. */
export const clusterRoleTemplateBindingMutator: Mutator<ClusterRoleTemplateBinding> = {
  kind: ClusterRoleTemplateBinding,
  rules: [{ operations: ["CREATE"] }],
  mutate: ({ operation, object }) =>
    operation === "CREATE" ? named(object, { place: clusterOf }) : undefined,
};

async function judgeNew(
  binding: ClusterRoleTemplateBinding,
  user: UserInfo,
  context: AdmissionContext,
): Promise<Verdict> {
  return firstRefusal(
    () => unless(bindingProblem(binding), unprocessable),
    () => judgeCluster(binding, context),
    () => judgeTemplate(binding, context),
    () => judgeGrant(binding, user, context),
  );
}

async function judgeCluster(
  { clusterName }: ClusterRoleTemplateBinding,
  context: AdmissionContext,
): Promise<Verdict> {
  const cluster = await cachedOrLive(context, Cluster, clusterName);
  return cluster === undefined
    ? deny(unprocessable, `clusterName names cluster ${clusterName}, which does not exist`)
    : allow();
}

async function judgeTemplate(
  binding: ClusterRoleTemplateBinding,
  context: AdmissionContext,
): Promise<Verdict> {
  const template = await templateOf(binding, context);
  if ("allowed" in template) return template;

  const label = binding.metadata.labels?.[labels.globalRoleBindingOwner];
  if (label === undefined) return unless(templateProblem(template, false), unprocessable);
  const owner = await cachedOrLive(context, GlobalRoleBinding, label);
  if (owner !== undefined && !isTerminating(owner)) {
    return unless(templateProblem(template, true), unprocessable);
  }
  return deny(
    unprocessable,
    `label ${labels.globalRoleBindingOwner} must name a GlobalRoleBinding that exists and is not being deleted`,
  );
}

/** Rights first: whether somebody has a role already is only told to those who could give it. */
async function judgeGrant(
  binding: ClusterRoleTemplateBinding,
  user: UserInfo,
  context: AdmissionContext,
): Promise<Verdict> {
  const { clusterName } = binding;
  const where = `in cluster ${clusterName}`;
  const places = [{ where, held: (rights: Rights) => rights.inCluster(clusterName) }];
  return firstRefusal(
    () => judgeRights(binding, user, places, context),
    () => judgeDuplicate(ClusterRoleTemplateBinding, binding, clusterName, context),
  );
}

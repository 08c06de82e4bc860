import { GlobalRole, GlobalRoleBinding, RoleTemplate } from "@drover/crds";
import { accessReads } from "@drover/platform";
import {
  type AdmissionContext,
  allow,
  deny,
  type Mutator,
  type UserInfo,
  type Validator,
  type Verdict,
} from "kopf-ts/admission";
import { judgingRules } from "../escalation.ts";
import { judgeHandout } from "../global-role-grants.ts";
import { cachedOrLive } from "../live.ts";
import { globalSubjects, subjectProblem } from "../role-subjects.ts";
import { isTerminating, notTerminating } from "../terminating.ts";
import { firstRefusal, unless } from "../verdicts.ts";
import { changeProblem, owned } from "./rules.ts";

/** Refuses bindings of global roles that are wrong or hand out more than their maker holds. */
export const globalRoleBindingValidator: Validator<GlobalRoleBinding> = {
  kind: GlobalRoleBinding,
  rules: [{ operations: ["CREATE", "UPDATE"], matchConditions: [notTerminating] }],
  reads: accessReads,
  validate: ({ operation, object, oldObject, user }, context) => {
    if (operation === "DELETE" || isTerminating(object)) return allow();
    return operation === "UPDATE"
      ? unless(changeProblem(oldObject, object), 400)
      : judgeNew(object, user, context);
  },
};

/** Makes bindings dependents of their role, so that they go with it. */
export const globalRoleBindingMutator: Mutator<GlobalRoleBinding> = {
  kind: GlobalRoleBinding,
  rules: [{ operations: ["CREATE"] }],
  reads: [GlobalRole],
  mutate: async ({ object }, context) => {
    if (!object?.globalRoleName) return undefined;
    const role = await cachedOrLive(context, GlobalRole, object.globalRoleName);
    return role === undefined ? undefined : owned(object, role); // validation refuses what has no role
  },
};

async function judgeNew(
  binding: GlobalRoleBinding,
  user: UserInfo,
  context: AdmissionContext,
): Promise<Verdict> {
  const refused = unless(subjectProblem(binding, globalSubjects), 422);
  if (!refused.allowed) return refused;

  const { globalRoleName } = binding;
  if (!globalRoleName) return deny(400, "globalRoleName is empty: a binding needs a global role");
  const role = await cachedOrLive(context, GlobalRole, globalRoleName);
  if (role === undefined) {
    return deny(404, `globalRoleName names global role ${globalRoleName}, which does not exist`);
  }
  const handout = { role, grant: `globalRoleName ${globalRoleName}`, verb: "bind" } as const;
  return firstRefusal(
    () => judgeInherited(role, context),
    () => judgingRules("globalRoleName", 400, () => judgeHandout(handout, user, context)),
  );
}

async function judgeInherited(role: GlobalRole, context: AdmissionContext): Promise<Verdict> {
  const { name } = role.metadata;
  for (const inherited of role.inheritedClusterRoles ?? []) {
    const template = await cachedOrLive(context, RoleTemplate, inherited);
    const fault =
      template === undefined ? "does not exist" : template.locked === true && "is locked";
    if (fault) {
      return deny(
        400,
        `globalRoleName ${name} inherits role template ${inherited}, which ${fault}`,
      );
    }
  }
  return allow();
}

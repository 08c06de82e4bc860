import { clusterRolesOfGlobalRole, GlobalRole, RoleTemplate } from "@drover/crds";
import { accessReads } from "@drover/platform";
import { readable } from "kopf-ts";
import {
  type AdmissionContext,
  allow,
  deny,
  type UserInfo,
  type Validator,
  type Verdict,
} from "kopf-ts/admission";
import { judgingRules } from "../escalation.ts";
import { judgeHandout } from "../global-role-grants.ts";
import { changedContent } from "../immutable.ts";
import { cachedOrLive, firstStill } from "../live.ts";
import { notTerminatingUnless } from "../terminating.ts";
import { firstRefusal, unless } from "../verdicts.ts";
import {
  changeProblem,
  inheritedProblem,
  newlyInherited,
  newProblem,
  rulesProblem,
} from "./rules.ts";

/** All that gives rights. */
const grantFields: readonly (keyof GlobalRole)[] = [
  "rules",
  "namespacedRules",
  "inheritedClusterRoles",
  "inheritedNamespacedRules",
  "inheritedFleetWorkspacePermissions",
];

/** Index of global roles, by each ClusterRole that they may have. */
const byClusterRole = "admission.global-role-cluster-role";

/** Refuses global roles that are wrong or allow more than their writer holds, and keeps the builtin ones. */
export const globalRoleValidator: Validator<GlobalRole> = {
  kind: GlobalRole,
  rules: [
    {
      operations: ["CREATE", "UPDATE", "DELETE"],
      matchConditions: notTerminatingUnless(...grantFields),
    },
  ],
  reads: [
    ...accessReads,
    readable(GlobalRole, {
      indexes: { [byClusterRole]: ({ metadata }) => clusterRolesOfGlobalRole(metadata.name) },
    }),
  ],
  validate: ({ operation, object, oldObject, user }, context) => {
    if (operation === "DELETE") return judgeDeletion(oldObject);
    if (operation === "CREATE") {
      return firstRefusal(
        () => unless(newProblem(object), 400),
        () => judgeName(object, context),
        () => judge(object, undefined, user, context),
      );
    }
    if (changedContent(oldObject, object).length === 0) return allow();
    return firstRefusal(
      () => unless(changeProblem(oldObject, object), 400),
      () => judge(object, oldObject, user, context),
    );
  },
};

function judgeDeletion({ builtin, metadata: { name } }: GlobalRole): Verdict {
  return builtin === true
    ? deny(403, `cannot delete builtin global roles: builtin of ${name} is true`)
    : allow();
}

/** Who holds one of two roles that share a ClusterRole would get what the other one allows, whoever made it. A name that the server makes up meets none. */
async function judgeName(
  { metadata: { name } }: GlobalRole,
  context: AdmissionContext,
): Promise<Verdict> {
  if (!name) return allow();
  const roles = context.cache(GlobalRole);
  const rivals = clusterRolesOfGlobalRole(name)
    .flatMap((each) => roles.byIndex(byClusterRole, each))
    .filter(({ metadata }) => metadata.name !== name);
  const rival = await firstStill(context, GlobalRole, rivals, () => true);
  return rival === undefined
    ? allow()
    : deny(
        400,
        `global role ${name} would share ClusterRoles with global role ${rival.metadata.name}: choose another name`,
      );
}

async function judge(
  role: GlobalRole,
  before: GlobalRole | undefined,
  user: UserInfo,
  context: AdmissionContext,
): Promise<Verdict> {
  const { name, generateName } = role.metadata;
  const handout = { role, grant: `global role ${name || generateName}`, verb: "escalate" } as const;
  return firstRefusal(
    () => unless(rulesProblem(role), 400),
    () => judgeInherited(newlyInherited(before, role), context),
    () => judgingRules("inheritedClusterRoles", 400, () => judgeHandout(handout, user, context)),
  );
}

async function judgeInherited(
  names: readonly string[],
  context: AdmissionContext,
): Promise<Verdict> {
  for (const name of names) {
    const template = await cachedOrLive(context, RoleTemplate, name);
    const problem =
      template === undefined
        ? `inheritedClusterRoles names role template ${name}, which does not exist`
        : inheritedProblem(template);
    if (problem !== undefined) return deny(400, problem);
  }
  return allow();
}

import { clusterRolesOf, flatten, GlobalRole, RoleTemplate } from "@drover/crds";
import { accessReads, accessSources, complete, mayDo, rightsOf } from "@drover/platform";
import { type Kind, type KubeObject, readable } from "kopf-ts";
import {
  type AdmissionContext,
  allow,
  deny,
  type UserInfo,
  type Validator,
  type Verdict,
} from "kopf-ts/admission";
import { escalationProblem, judgingRules, lackingIn } from "../escalation.ts";
import { firstStill } from "../live.ts";
import { isTerminating, notTerminatingUnless } from "../terminating.ts";
import { firstRefusal, type Problem, unless } from "../verdicts.ts";
import { changedFields, changeProblem, newProblem, templateProblem } from "./rules.ts";

/** Indexes of who inherits a template, by its name. */
const byInherited = "admission.inherited-template";

/** Index of templates, by each ClusterRole that they may have. */
const byClusterRole = "admission.template-cluster-role";

const inheritedBy = {
  template: ({ roleTemplateNames }: RoleTemplate): readonly string[] => roleTemplateNames ?? [],
  globalRole: ({ inheritedClusterRoles }: GlobalRole): readonly string[] =>
    inheritedClusterRoles ?? [],
};

/** All that gives rights. */
const grantFields: readonly (keyof RoleTemplate)[] = [
  "rules",
  "external",
  "externalRules",
  "roleTemplateNames",
];

/** Refuses role templates that are wrong, inherit in a circle or allow more than their writer holds, and keeps those that others inherit. */
export const roleTemplateValidator: Validator<RoleTemplate> = {
  kind: RoleTemplate,
  rules: [
    {
      operations: ["CREATE", "UPDATE", "DELETE"],
      matchConditions: notTerminatingUnless(...grantFields),
    },
  ],
  reads: [
    ...accessReads,
    readable(RoleTemplate, {
      indexes: {
        [byInherited]: inheritedBy.template,
        [byClusterRole]: ({ metadata }) => clusterRolesOf(metadata.name),
      },
    }),
    readable(GlobalRole, { indexes: { [byInherited]: inheritedBy.globalRole } }),
  ],
  validate: ({ operation, object, oldObject, user }, context) => {
    if (operation === "DELETE") return judgeDeletion(oldObject, context);
    if (operation === "CREATE") {
      return firstRefusal(
        () => unless(newProblem(object), 400),
        () => judgeName(object, context),
        () => judge(object, user, context),
      );
    }
    if (changedFields(oldObject, object).length === 0) return allow();
    return firstRefusal(
      () => unless(changeProblem(oldObject, object), 400),
      () => judge(object, user, context),
    );
  },
};

/** Who holds one of two templates that share a ClusterRole would get what the other one allows, whoever made it. A name that the server makes up meets none. */
async function judgeName(
  { metadata: { name } }: RoleTemplate,
  context: AdmissionContext,
): Promise<Verdict> {
  if (!name) return allow();
  const templates = context.cache(RoleTemplate);
  const rivals = clusterRolesOf(name)
    .flatMap((role) => templates.byIndex(byClusterRole, role))
    .filter(({ metadata }) => metadata.name !== name);
  const rival = await firstStill(context, RoleTemplate, rivals, () => true);
  return rival === undefined
    ? allow()
    : deny(
        400,
        `role template ${name} would share ClusterRoles with role template ${rival.metadata.name}: choose another name`,
      );
}

async function judge(
  template: RoleTemplate,
  user: UserInfo,
  context: AdmissionContext,
): Promise<Verdict> {
  return firstRefusal(
    () => unless(templateProblem(template), 400),
    () => judgingRules("roleTemplateNames", 400, () => judgeRights(template, user, context)),
  );
}

async function judgeRights(
  template: RoleTemplate,
  user: UserInfo,
  context: AdmissionContext,
): Promise<Verdict> {
  const lacking = await rightsProblem(template, user, context); // first: it also tells what cannot be resolved
  const problem = externalRulesProblem(template, user) ?? lacking;
  if (problem === undefined || (await mayEscalate(user, context))) return allow();
  return deny(403, problem);
}

/** Nobody can tell what a ClusterRole of another cluster allows, so who states its rules needs the verb, whatever they hold. */
function externalRulesProblem({ externalRules }: RoleTemplate, { username }: UserInfo): Problem {
  return externalRules == null
    ? undefined
    : `externalRules can only be set by who has the verb escalate on roletemplates: user ${username} has not`;
}

async function rightsProblem(
  template: RoleTemplate,
  user: UserInfo,
  { cache, client, signal }: AdmissionContext,
): Promise<Problem> {
  const sources = accessSources(cache);
  const rules = await complete(sources, { client, signal }, (all) => flatten(template, all));
  const held = rightsOf(user, sources).everywhere();
  const lacking = await lackingIn("in the whole local cluster", held, rules, signal);
  const { name, generateName } = template.metadata;
  const grant = `role template ${name || generateName}`;
  return escalationProblem({ grant, username: user.username, lacking });
}

async function mayEscalate(user: UserInfo, { client, signal }: AdmissionContext): Promise<boolean> {
  const { group, version, plural: resource } = RoleTemplate;
  return mayDo(client, user, { verb: "escalate", group, version, resource }, { signal });
}

async function judgeDeletion(
  { metadata: { name } }: RoleTemplate,
  context: AdmissionContext,
): Promise<Verdict> {
  return firstRefusal(
    () => judgeHeirs(RoleTemplate, name, inheritedBy.template, context),
    () => judgeHeirs(GlobalRole, name, inheritedBy.globalRole, context),
  );
}

async function judgeHeirs<T extends KubeObject>(
  kind: Kind<T>,
  name: string,
  inherits: (heir: T) => readonly string[],
  context: AdmissionContext,
): Promise<Verdict> {
  const cached = context.cache(kind).byIndex(byInherited, name);
  const heir = await firstStill(context, kind, cached, (live) => {
    return !isTerminating(live) && inherits(live).includes(name);
  });
  return heir === undefined
    ? allow()
    : deny(
        400,
        `role template ${name} cannot be deleted: ${kind.kind} ${heir.metadata.name} inherits it`,
      );
}

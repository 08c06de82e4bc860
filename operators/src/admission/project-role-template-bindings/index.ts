import { Cluster, Project, ProjectRoleTemplateBinding } from "@drover/crds";
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
  type Place,
  sameGrantIndex,
  templateOf,
  unprocessable,
} from "../template-grants.ts";
import { isTerminating, notTerminating } from "../terminating.ts";
import { firstRefusal, unless } from "../verdicts.ts";
import {
  backingNamespace,
  bindingProblem,
  changeProblem,
  namesOthers,
  parseProjectName,
  templateProblem,
} from "./rules.ts";

const projectOf = ({ projectName }: ProjectRoleTemplateBinding): string => projectName;

/** Refuses bindings in projects that are wrong, given twice, or hand out more than their maker holds. */
export const projectRoleTemplateBindingValidator: Validator<ProjectRoleTemplateBinding> = {
  kind: ProjectRoleTemplateBinding,
  rules: [{ operations: ["CREATE", "UPDATE"], matchConditions: [notTerminating] }],
  reads: [
    ...accessReads,
    Cluster,
    Project,
    readable(ProjectRoleTemplateBinding, { indexes: sameGrantIndex(projectOf) }),
  ],
  validate: ({ operation, object, oldObject, user }, context) => {
    if (operation === "DELETE" || isTerminating(object)) return allow();
    if (operation === "CREATE") return judgeNew(object, user, context);

    const verdict = unless(changeProblem(oldObject, object), unprocessable);
    const done = !verdict.allowed || !namesOthers(oldObject, object);
    return done ? verdict : judgeGrant(object, user, context);
  },
};

/** Gives bindings that are created without a name one that follows from what they say. */
export const projectRoleTemplateBindingMutator: Mutator<ProjectRoleTemplateBinding> = {
  kind: ProjectRoleTemplateBinding,
  rules: [{ operations: ["CREATE"] }],
  mutate: ({ operation, object }) =>
    operation === "CREATE" ? named(object, { place: projectOf, prefix: "prtb-" }) : undefined,
};

async function judgeNew(
  binding: ProjectRoleTemplateBinding,
  user: UserInfo,
  context: AdmissionContext,
): Promise<Verdict> {
  return firstRefusal(
    () => unless(bindingProblem(binding), unprocessable),
    () => judgeProject(binding, context),
    () => judgeTemplate(binding, context),
    () => judgeGrant(binding, user, context),
  );
}

/** One answer for a project that does not exist and one that lives elsewhere, so that nobody can find out about projects of others. */
async function judgeProject(
  { projectName, metadata: { namespace = "" } }: ProjectRoleTemplateBinding,
  context: AdmissionContext,
): Promise<Verdict> {
  const { cluster = "", project = "" } = parseProjectName(projectName) ?? {};
  const found = await cachedOrLive(context, Project, project, cluster);
  const fits = found?.spec?.clusterName === cluster && backingNamespace(found) === namespace;
  if (fits && (await cachedOrLive(context, Cluster, cluster)) !== undefined) return allow();
  return deny(
    unprocessable,
    `projectName must name a project of an existing cluster whose backing namespace is ${namespace}: ${projectName} does not`,
  );
}

async function judgeTemplate(
  binding: ProjectRoleTemplateBinding,
  context: AdmissionContext,
): Promise<Verdict> {
  const template = await templateOf(binding, context);
  return "allowed" in template ? template : unless(templateProblem(template), unprocessable);
}

/** Rights first: whether somebody has a role already is only told to those who could give it. */
async function judgeGrant(
  binding: ProjectRoleTemplateBinding,
  user: UserInfo,
  context: AdmissionContext,
): Promise<Verdict> {
  return firstRefusal(
    () => judgeRights(binding, user, placesOf(binding), context),
    () => judgeDuplicate(ProjectRoleTemplateBinding, binding, binding.projectName, context),
  );
}

/** Who may hand out a role in the whole cluster may do so in each of its projects. */
function placesOf({
  projectName,
  metadata: { namespace = "" },
}: ProjectRoleTemplateBinding): readonly Place[] {
  const { cluster = "" } = parseProjectName(projectName) ?? {};
  return [
    { where: `in cluster ${cluster}`, held: (rights: Rights) => rights.inCluster(cluster) },
    {
      where: `in project ${projectName}`,
      held: (rights: Rights) => rights.inProject(projectName, namespace),
    },
  ];
}

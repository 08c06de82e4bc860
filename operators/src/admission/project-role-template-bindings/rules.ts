/** What a ProjectRoleTemplateBinding may say, as far as it can be told without looking anything up. */

import type { Project, ProjectRoleTemplateBinding, RoleTemplate } from "@drover/crds";
import { changedContent, immutableProblem, setOnceProblem } from "../immutable.ts";
import { projectSubjects, subjectFields, subjectProblem } from "../role-subjects.ts";
import type { Problem } from "../verdicts.ts";

const subjects = ["userName", "userPrincipalName", "groupName", "groupPrincipalName"] as const;
const fixed = ["roleTemplateName", "projectName", "serviceAccount"] as const;

/** A projectName taken apart. */
export interface ProjectRef {
  readonly cluster: string;
  readonly project: string;
}

/** Undefined unless it is `<cluster>:<project>`. */
export function parseProjectName(projectName: string): ProjectRef | undefined {
  const [cluster, project, ...rest] = projectName.split(":");
  return cluster && project && rest.length === 0 ? { cluster, project } : undefined;
}

/** What is wrong with a new binding. */
export function bindingProblem(binding: ProjectRoleTemplateBinding): Problem {
  return (
    subjectProblem(binding, projectSubjects) ??
    serviceAccountProblem(binding) ??
    projectNameProblem(binding) ??
    (binding.roleTemplateName
      ? undefined
      : "roleTemplateName is empty: a binding needs a role template")
  );
}

function serviceAccountProblem({ serviceAccount }: ProjectRoleTemplateBinding): Problem {
  return !serviceAccount || /^[^:]+:[^:]+$/.test(serviceAccount)
    ? undefined
    : "serviceAccount must have the form <namespace>:<name>";
}

function projectNameProblem({ projectName }: ProjectRoleTemplateBinding): Problem {
  if (!projectName) return "projectName is empty: a binding needs a project";
  return parseProjectName(projectName) === undefined
    ? "projectName must have the form <cluster>:<project>"
    : undefined;
}

/** What is wrong with a change. */
export function changeProblem(
  before: ProjectRoleTemplateBinding,
  after: ProjectRoleTemplateBinding,
): Problem {
  return (
    immutableProblem(before, after, fixed) ??
    setOnceProblem(before, after, subjects) ??
    (namesOthers(before, after) ? subjectProblem(after, projectSubjects) : undefined)
  );
}

/** Whether a change gives the role to somebody besides. */
export function namesOthers(
  before: ProjectRoleTemplateBinding,
  after: ProjectRoleTemplateBinding,
): boolean {
  const changed: ReadonlySet<string> = new Set(changedContent(before, after));
  return subjectFields.some((field) => changed.has(field));
}

/** Where bindings of a project live; an older project has them in a namespace of its own name. */
export function backingNamespace({ metadata, status }: Project): string {
  return status?.backingNamespace || metadata.name;
}

/** What is wrong with the role template. */
export function templateProblem({ metadata, context, locked }: RoleTemplate): Problem {
  const { name } = metadata;
  if (context !== "project") {
    return `roleTemplateName must name a role template of context project: that of ${name} is "${context ?? ""}"`;
  }
  return locked === true
    ? `roleTemplateName must name a role template that is not locked: ${name} is`
    : undefined;
}

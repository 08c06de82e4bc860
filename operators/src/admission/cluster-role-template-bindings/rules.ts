/** What a ClusterRoleTemplateBinding may say, as far as it can be told without looking anything up. */

import { type ClusterRoleTemplateBinding, labels, type RoleTemplate } from "@drover/crds";
import { changedContent, immutableProblem, labelProblem, setOnceProblem } from "../immutable.ts";
import { clusterSubjects, subjectFields, subjectProblem } from "../role-subjects.ts";
import type { Problem } from "../verdicts.ts";

const subjects = ["userName", "userPrincipalName", "groupName", "groupPrincipalName"] as const;

/** What is wrong with a new binding. */
export function bindingProblem(binding: ClusterRoleTemplateBinding): Problem {
  return subjectProblem(binding, clusterSubjects) ?? placeProblem(binding);
}

function placeProblem({
  clusterName,
  roleTemplateName,
  metadata,
}: ClusterRoleTemplateBinding): Problem {
  if (!clusterName) return "clusterName is empty: a binding needs a cluster";
  if (clusterName !== metadata.namespace) {
    return `clusterName must be the binding's namespace, ${metadata.namespace ?? ""}`;
  }
  return roleTemplateName
    ? undefined
    : "roleTemplateName is empty: a binding needs a role template";
}

/** What is wrong with a change. */
export function changeProblem(
  before: ClusterRoleTemplateBinding,
  after: ClusterRoleTemplateBinding,
): Problem {
  return (
    immutableProblem(before, after, ["roleTemplateName", "clusterName"]) ??
    setOnceProblem(before, after, subjects) ??
    labelProblem(before, after, labels.globalRoleBindingOwner, { added: false }) ??
    (namesOthers(before, after) ? subjectProblem(after, clusterSubjects) : undefined)
  );
}

/** Whether a change gives the role to somebody besides. */
export function namesOthers(
  before: ClusterRoleTemplateBinding,
  after: ClusterRoleTemplateBinding,
): boolean {
  const changed: ReadonlySet<string> = new Set(changedContent(before, after));
  return subjectFields.some((field) => changed.has(field));
}

/** What is wrong with the role template; `excused` when a live GlobalRoleBinding owns the binding, which may pass on what was locked later. */
export function templateProblem(template: RoleTemplate, excused: boolean): Problem {
  const { name } = template.metadata;
  if (template.context !== "cluster") {
    return `roleTemplateName must name a role template of context cluster: that of ${name} is "${template.context ?? ""}"`;
  }
  return template.locked === true && !excused
    ? `roleTemplateName must name a role template that is not locked: ${name} is`
    : undefined;
}

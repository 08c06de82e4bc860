/** Whom bindings of roles name, when two bindings are the same, and the name that follows from it. */

import { createHash } from "node:crypto";
import { base32, type ProjectRoleTemplateBinding } from "@drover/crds";
import type { Problem } from "./verdicts.ts";

/** The fields of bindings that name somebody; not every kind has all. */
export type Subjects = Partial<Pick<ProjectRoleTemplateBinding, SubjectField>>;

/** A field that names somebody. */
export type SubjectField =
  | "userPrincipalName"
  | "userName"
  | "groupPrincipalName"
  | "groupName"
  | "serviceAccount";

/** In the order in which a name is made from them (webhook: clusterroletemplatebinding/mutator.go, getSubject). */
export const subjectFields: readonly SubjectField[] = [
  "userPrincipalName",
  "userName",
  "groupPrincipalName",
  "groupName",
  "serviceAccount",
];

/** Fields that name the same: one user by name and principal, or one group. */
type Classes = Readonly<Record<string, readonly SubjectField[]>>;

/** Of a ClusterRoleTemplateBinding. */
export const clusterSubjects: Classes = {
  user: ["userName", "userPrincipalName"],
  group: ["groupName", "groupPrincipalName"],
};

/** Of a ProjectRoleTemplateBinding. */
export const projectSubjects: Classes = {
  ...clusterSubjects,
  "service account": ["serviceAccount"],
};

/** Of a GlobalRoleBinding. */
export const globalSubjects: Classes = {
  user: ["userName", "userPrincipalName"],
  group: ["groupPrincipalName"],
};

/** What is wrong unless exactly one class of subjects is named. */
export function subjectProblem(binding: Subjects, classes: Classes): Problem {
  const named = Object.values(classes).filter((fields) => fields.some((field) => binding[field]));
  if (named.length === 1) return undefined;
  const choices = Object.entries(classes).map(
    ([name, fields]) => `a ${name} ${fields.map((field) => `[${field}]`).join("/")}`,
  );
  const found = named.length === 0 ? "it names nobody" : "it names more than one of them";
  return `binding must target ${choices.join(" OR ")}: ${found}`;
}

/** What two bindings of one role in one place must not have in common, one value per subject that is named. */
export function duplicateKeys(binding: Subjects, role: string, place: string): readonly string[] {
  return subjectFields
    .filter((field) => binding[field])
    .map((field) => JSON.stringify([place, role, field, binding[field]]));
}

/** The subject that a name is made from. */
export function subjectOf(binding: Subjects): string | undefined {
  const field = subjectFields.find((each) => binding[each]);
  return field === undefined ? undefined : binding[field];
}

/**
 * The name that the same subject, role and place always get, so that whoever creates a binding twice with generateName finds it existing (webhook:
 * clusterroletemplatebinding/mutator.go; clients rely on the formula).
 */
export function bindingName(prefix: string, ...parts: readonly [string, string, string]): string {
  const hash = createHash("sha256").update(parts.join("/")).digest();
  return prefix + base32(hash).slice(0, 10).toLowerCase();
}

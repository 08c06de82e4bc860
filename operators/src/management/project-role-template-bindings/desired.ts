/**
 * What a ProjectRoleTemplateBinding brings along on the management cluster (rancher:
 * pkg/controllers/management/auth/roletemplates/prtb_handler.go). Pure.
 */

import {
  makesOwner,
  membershipRoles,
  type PolicyRule,
  type ProjectId,
  roleTemplateNames,
} from "@drover/crds";
import { clusterRoleRef, onManagementPlane, roleRef, sharedRoleBinding } from "@drover/platform";
import type { RoleBinding, Subject } from "kopf-ts/kinds";

/** A binding of a subject that is known. */
export interface Grant extends ProjectId {
  readonly template: string;
  readonly subject: Subject;
  /** What the template grants with all that it inherits. */
  readonly rules: readonly PolicyRule[];
}

/** By which the subject sees the project, in the namespace of the cluster. Its name is made from that of the project, as Rancher's. */
export function projectMembership({ cluster, project, subject, rules }: Grant): RoleBinding {
  const { projectOwner, projectMember } = membershipRoles;
  const role = makesOwner(rules, "projects", project) ? projectOwner : projectMember;
  return sharedRoleBinding(cluster, roleRef(role(project)), subject, project);
}

/** By which the subject works with the objects of the project. */
export function projectRights({ template, subject }: Grant, namespace: string): RoleBinding {
  const role = clusterRoleRef(roleTemplateNames.projectManagementAggregator(template));
  return onManagementPlane(sharedRoleBinding(namespace, role, subject));
}

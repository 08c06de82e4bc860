/** What a project brings along on the management cluster (rancher: pkg/controllers/management/auth/project_cluster). Pure. */

import {
  annotations,
  backingNamespaceOf,
  type CreatorRoles,
  creatorBindingName,
  creatorRolesOf,
  creatorSubject,
  idOfProject,
  labels,
  localClusterName,
  type PolicyRule,
  Project,
  ProjectRoleTemplateBinding,
  projectNames,
  projectOwnerKey,
  type RoleTemplate,
} from "@drover/crds";
import type { NamespaceMetadata } from "@drover/platform";
import { apiVersionOf, markedOwnerOf } from "kopf-ts";
import { Namespace, Role } from "kopf-ts/kinds";
import { ownerTemplate } from "./names.ts";

/** The namespace of the project's own objects, with what people want on every namespace. */
export function backingNamespace(project: Project, wanted: NamespaceMetadata): Namespace {
  return {
    apiVersion: apiVersionOf(Namespace),
    kind: Namespace.kind,
    metadata: {
      name: backingNamespaceOf(project),
      labels: { ...wanted.labels, ...ownerLabel(project) },
      annotations: { ...wanted.annotations, [annotations.systemNamespace]: "true" },
    },
  };
}

/**
 * Whether a namespace is the project's own: it says so, or a Rancher made it, whose namespaces are of the system and name no owner. `isOther` tells
 * names that belong to something else, such as a cluster's.
 */
export function isBacking(
  namespace: Namespace,
  project: Project,
  isOther: (name: string) => boolean,
): boolean {
  const { labels: found, annotations: said, name } = namespace.metadata;
  const marked = markedOwnerOf(namespace);
  if (marked !== undefined) return isSame(marked, project);
  const owner = found?.[projectOwnerKey];
  if (owner !== undefined) return owner === ownerLabel(project)[projectOwnerKey];
  return said?.[annotations.systemNamespace] === "true" && !isOther(name);
}

/** By which members read the project and owners change it, from the namespace of its cluster. */
export function membershipRoles(project: Project): readonly Role[] {
  const { name } = project.metadata;
  return [
    membershipRole(project, projectNames.memberRole(name), ["get"]),
    membershipRole(project, projectNames.ownerRole(name), ownerVerbs),
  ];
}

const ownerVerbs = [
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
];

function membershipRole(project: Project, name: string, verbs: readonly string[]): Role {
  const rule: PolicyRule = {
    verbs,
    apiGroups: [Project.group],
    resources: [Project.plural],
    resourceNames: [project.metadata.name],
  };
  const { namespace } = project.metadata;
  return {
    apiVersion: apiVersionOf(Role),
    kind: Role.kind,
    metadata: { name, ...(namespace && { namespace }), labels: ownerLabel(project) },
    rules: [rule],
  };
}

/** The label by which objects tell whose they are. */
export function ownerLabel({ metadata }: Project): Readonly<Record<string, string>> {
  return { [projectOwnerKey]: projectNames.ownerLabel(metadata.namespace ?? "", metadata.name) };
}

/**
 * The role templates that the creator is to be bound to; null when nobody can read which. Projects without the annotation are older than it, but for
 * those that the server made itself: these get `defaults`, and in the server's own cluster never more than project-owner.
 */
export function requiredRoles(project: Project, defaults: readonly string[]): CreatorRoles | null {
  const said = creatorRolesOf(project);
  if (said === null) return null;
  const isOurs = isInitial(project);
  const { created, required } = said ?? { created: [], required: isOurs ? defaults : [] };
  const isLocal = project.metadata.namespace === localClusterName;
  if (!isOurs || !isLocal) return { created, required };
  return { created, required: required.filter((name) => name === ownerTemplate) };
}

/** Whether creators of projects get a role template: only these are ever bound, whatever an annotation asks for. */
export function isForCreators({
  metadata,
  projectCreatorDefault,
  locked,
}: Pick<RoleTemplate, "metadata" | "projectCreatorDefault" | "locked">): boolean {
  return (
    projectCreatorDefault === true && locked !== true && metadata.deletionTimestamp === undefined
  );
}

/** Whether the creator asked for no roles, or nobody is known to have made the project. */
export function isWithoutCreator(project: Project): boolean {
  const isRefused = project.metadata.annotations?.[annotations.noCreatorRbac] !== undefined;
  return isRefused || creatorSubject(project) === undefined;
}

/** Gives the project's creator a role template in it. */
export function creatorBinding(
  project: Project,
  roleTemplateName: string,
): ProjectRoleTemplateBinding {
  return {
    apiVersion: apiVersionOf(ProjectRoleTemplateBinding),
    kind: ProjectRoleTemplateBinding.kind,
    metadata: {
      name: creatorBindingName(roleTemplateName),
      namespace: backingNamespaceOf(project),
    },
    ...creatorSubject(project),
    projectName: idOfProject(project),
    roleTemplateName,
  };
}

function isInitial({ metadata }: Project): boolean {
  const { [labels.defaultProject]: isDefault, [labels.systemProject]: isSystem } =
    metadata.labels ?? {};
  return isDefault === "true" || isSystem === "true";
}

function isSame(marked: NonNullable<ReturnType<typeof markedOwnerOf>>, project: Project): boolean {
  return (
    marked.kind === Project.kind &&
    marked.metadata.name === project.metadata.name &&
    marked.metadata.namespace === project.metadata.namespace
  );
}

/** What a project brings along in its cluster (rancher: pkg/controllers/managementuser/rbac/project_handler.go). Pure. */

import {
  annotations,
  idOfProject,
  labels,
  type PolicyRule,
  Project,
  projectNames,
  projectNamespacesAnnotation,
  projectOwnerKey,
} from "@drover/crds";
import { apiVersionOf, findCondition } from "kopf-ts";
import { ClusterRole, Namespace } from "kopf-ts/kinds";
import { conditions, offeredAnnotation } from "./names.ts";

/**
 * The ClusterRoles about the namespaces of the project: to read them, and to change them and move others in. Without any there is nothing to read, and no
 * role for it, for a rule without names would allow all.
 */
export function namespaceRoles(
  project: Project,
  namespaces: readonly string[],
): readonly ClusterRole[] {
  const { name } = project.metadata;
  const resourceNames = namespaces.toSorted();
  const about = (verb: string): readonly PolicyRule[] =>
    resourceNames.length === 0
      ? []
      : [{ verbs: [verb], apiGroups: [""], resources: [Namespace.plural], resourceNames }];
  const manage: PolicyRule = {
    verbs: ["manage-namespaces"],
    apiGroups: [Project.group],
    resources: [Project.plural],
    resourceNames: [name],
  };
  const read = role(project, projectNames.namespacesReadonly(name), about("get"));
  const edit = role(project, projectNames.namespacesEdit(name), [...about("*"), manage]);
  return resourceNames.length === 0 ? [edit] : [read, edit];
}

function role(project: Project, name: string, rules: readonly PolicyRule[]): ClusterRole {
  return {
    apiVersion: apiVersionOf(ClusterRole),
    kind: ClusterRole.kind,
    metadata: {
      name,
      labels: { [projectOwnerKey]: ownerLabel(project) },
      annotations: { [projectNamespacesAnnotation]: name },
    },
    rules,
  };
}

/** The value of the label by which ClusterRoles tell whose they are. */
export function ownerLabel({ metadata }: Pick<Project, "metadata">): string {
  return projectNames.ownerLabel(metadata.namespace ?? "", metadata.name);
}

/** Whether a Rancher made the role, which tells it by an annotation alone: then it is ours to go on with. */
export function isRanchers({ metadata }: ClusterRole): boolean {
  return (
    metadata.annotations?.[projectNamespacesAnnotation] === metadata.name &&
    metadata.labels?.[projectOwnerKey] === undefined
  );
}

/** Namespaces that a project is to take in, and how it tells that it has. */
export interface Offer {
  readonly condition: string;
  /** Those that it is to take in now, unless they are in a project. */
  readonly names: readonly string[];
  /** The annotation that says which were offered; undefined where none does. */
  readonly offered?: string;
}

/**
 * What the project that takes in namespace `default`, or the system's, is offered: all until its condition holds, and then only what the setting has gained
 * since. Undefined for other projects.
 */
export function offerOf(project: Project, systemNamespaces: readonly string[]): Offer | undefined {
  const { labels: said = {} } = project.metadata;
  const holds = (type: string): boolean =>
    findCondition(project.status?.conditions, type)?.status === "True";
  if (said[labels.defaultProject] === "true") {
    const condition = conditions.default;
    return { condition, names: holds(condition) ? [] : ["default"] };
  }
  if (said[labels.systemProject] !== "true") return undefined;
  const condition = conditions.system;
  const offered = [...new Set(systemNamespaces)].toSorted();
  const before = offeredTo(project) ?? offered; // one that a Rancher filled was offered all
  const names = holds(condition) ? offered.filter((name) => !before.includes(name)) : offered;
  return { condition, names, offered: offered.join(",") };
}

function offeredTo({ metadata }: Project): readonly string[] | undefined {
  return metadata.annotations?.[offeredAnnotation]?.split(",");
}

/** Namespaces that Kubernetes itself needs. */
const kubernetes = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** Whether a namespace was made by a person through the server and so goes with its project; those of any system never do. */
export function goesWithProject(
  { metadata }: Namespace,
  systemNamespaces: readonly string[],
): boolean {
  const said = metadata.annotations ?? {};
  return (
    said[annotations.creatorId] !== undefined &&
    said[annotations.systemNamespace] !== "true" &&
    !kubernetes.includes(metadata.name) &&
    !systemNamespaces.includes(metadata.name)
  );
}

/** Whether a namespace is free to be taken in. */
export function isFree({ metadata }: Namespace): boolean {
  return metadata.deletionTimestamp === undefined && !metadata.annotations?.[annotations.projectId];
}

/** The change that puts a namespace into the project. */
export function takeIn(namespace: Namespace, project: Project): object {
  const { resourceVersion } = namespace.metadata;
  return {
    metadata: { resourceVersion, annotations: { [annotations.projectId]: idOfProject(project) } },
  };
}

/** The change that takes a namespace out of its project. */
export function takeOut({ metadata: { resourceVersion } }: Namespace): object {
  const { projectId } = annotations;
  return {
    metadata: {
      resourceVersion,
      annotations: { [projectId]: null },
      labels: { [labels.projectId]: null },
    },
  };
}

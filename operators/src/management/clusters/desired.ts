/** What a Cluster brings along on the management cluster (rancher: pkg/controllers/management/auth/project_cluster). Pure. */

import { createHash } from "node:crypto";
import {
  annotations,
  Cluster,
  ClusterRoleTemplateBinding,
  creatorBindingName,
  type creatorSubject,
  labels,
  membershipRoles,
  Project,
  projectNames,
  type RoleTemplate,
} from "@drover/crds";
import { apiVersionOf } from "kopf-ts";
import { ClusterRole } from "kopf-ts/kinds";
import { clusterLabel, clusterLabelValue, conditions, creatorBindingAnnotation } from "./names.ts";

/** One of the two projects that every cluster begins with. */
export interface DefaultProject {
  readonly displayName: "Default" | "System";
  /** Label with value "true", by which all find it. */
  readonly label: string;
  readonly condition: string;
  /** Made again should it be missing: nobody may delete the System project, while the other is theirs who own the cluster. */
  readonly lasting: boolean;
}

/** In the order in which they are made. */
export const defaultProjects: readonly DefaultProject[] = [
  {
    displayName: "Default",
    label: labels.defaultProject,
    condition: conditions.defaultProject,
    lasting: false,
  },
  {
    displayName: "System",
    label: labels.systemProject,
    condition: conditions.systemProject,
    lasting: true,
  },
];

/** The two ClusterRoles through which members see, and owners change, the Cluster itself. */
export function membershipClusterRoles({ metadata: { name } }: Cluster): readonly ClusterRole[] {
  return [
    clusterRole(membershipRoles.clusterMember(name), name, ["get"]),
    clusterRole(membershipRoles.clusterOwner(name), name, ownerVerbs),
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

function clusterRole(name: string, cluster: string, verbs: readonly string[]): ClusterRole {
  const { group, plural } = Cluster;
  const rule = { apiGroups: [group], resources: [plural], resourceNames: [cluster], verbs };
  return {
    apiVersion: apiVersionOf(ClusterRole),
    kind: ClusterRole.kind,
    metadata: { name, labels: { [clusterLabel]: clusterLabelValue(cluster) } },
    rules: [rule],
  };
}

/**
 * A default project as it is made. Rancher lets the server choose its name behind `p-`; this one follows from the cluster, so that nobody who begins anew
 * makes a second. Webhooks do not see our writes: what they would add is there already.
 */
export function newProject(
  { displayName, label }: DefaultProject,
  { metadata }: Cluster,
  required: readonly string[],
): Project {
  const cluster = metadata.name;
  const name = `p-${suffix(`${metadata.uid}/${label}`)}`;
  return {
    apiVersion: apiVersionOf(Project),
    kind: Project.kind,
    metadata: {
      name,
      namespace: cluster,
      labels: { [label]: "true" },
      annotations: {
        ...creatorOf(metadata.annotations),
        [annotations.creatorRoleBindings]: JSON.stringify({ required }),
      },
    },
    spec: {
      displayName,
      description: `${displayName} project created for the cluster`,
      clusterName: cluster,
    },
    status: { backingNamespace: projectNames.backingNamespace(cluster, name) },
  };
}

/** As Kubernetes ends generated names (apimachinery: pkg/util/rand). */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

function suffix(seed: string): string {
  const bytes = createHash("sha256").update(seed).digest().subarray(0, 5);
  return [...bytes].map((byte) => alphabet.charAt(byte % alphabet.length)).join("");
}

/** Who made the cluster made its projects. */
function creatorOf(of: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const { creatorId, creatorPrincipalName, noCreatorRbac } = annotations;
  const given = [creatorId, creatorPrincipalName, noCreatorRbac].filter((key) => key in of);
  return Object.fromEntries(given.map((key) => [key, of[key] ?? ""]));
}

/** Names of the templates that whoever makes a cluster, or a project, gets. */
export function creatorTemplates(
  templates: readonly RoleTemplate[],
  what: "clusterCreatorDefault" | "projectCreatorDefault",
): readonly string[] {
  return templates
    .filter((template) => template[what] === true && isAvailable(template))
    .map(({ metadata }) => metadata.name)
    .toSorted();
}

/** Whether a template may be given to anybody. */
export function isAvailable({ locked, metadata }: RoleTemplate): boolean {
  return locked !== true && metadata.deletionTimestamp === undefined;
}

/** The binding of a cluster's creator to one template. */
export function creatorBinding(
  { metadata: { name } }: Cluster,
  roleTemplateName: string,
  subject: NonNullable<ReturnType<typeof creatorSubject>>,
): ClusterRoleTemplateBinding {
  return {
    apiVersion: apiVersionOf(ClusterRoleTemplateBinding),
    kind: ClusterRoleTemplateBinding.kind,
    metadata: {
      name: creatorBindingName(roleTemplateName),
      namespace: name,
      annotations: { [creatorBindingAnnotation]: "true" },
    },
    clusterName: name,
    roleTemplateName,
    ...subject,
  };
}

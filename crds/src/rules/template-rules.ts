/**
 * Which rules of role templates count elsewhere than in the namespaces or the cluster where they are granted, and what rules say about
 * membership and namespaces (rancher: pkg/controllers/management/auth/roletemplates, pkg/controllers/managementuser/rbac/roletemplates). Pure.
 */

import type { PolicyRule } from "kopf-ts/kinds";
import { localClusterName } from "../names.ts";
import { covers } from "./covers.ts";

/** A resource and its group. */
interface Target {
  readonly resource: string;
  readonly group: string;
  /** The only name that is granted. */
  readonly only?: string;
}

const management = "management.cattle.io";

/** Outside of namespaces, but what members of a project must see. */
const promoted: readonly Target[] = [
  { resource: "navlinks", group: "ui.cattle.io" },
  { resource: "nodes", group: "" },
  { resource: "persistentvolumes", group: "" },
  { resource: "storageclasses", group: "storage.k8s.io" },
  { resource: "apiservices", group: "apiregistration.k8s.io" },
  { resource: "clusterrepos", group: "catalog.cattle.io" },
  { resource: "clusters", group: management, only: localClusterName },
];

/** Objects in the namespace of a cluster on the management cluster. */
const ofClusters: readonly Target[] = [
  { resource: "clusterscans", group: management },
  { resource: "clusterregistrationtokens", group: management },
  { resource: "clusterroletemplatebindings", group: management },
  { resource: "etcdbackups", group: management },
  { resource: "nodes", group: management },
  { resource: "nodepools", group: management },
  { resource: "projects", group: management },
  { resource: "etcdsnapshots", group: "rke.cattle.io" },
];

/** Objects in the backing namespace of a project on the management cluster. */
const ofProjects: readonly Target[] = [
  { resource: "projectroletemplatebindings", group: management },
  { resource: "secrets", group: "" },
];

/** Where objects of the management cluster belong to: a cluster's namespace, or a project's. */
export type ManagementPlane = "cluster" | "project";

/**
 * The rules about objects of a plane, each narrowed to one resource and with its own verbs. A rule with resourceNames is none: the names are
 * those of objects in the managed cluster.
 */
export function managementRules(
  rules: readonly PolicyRule[],
  plane: ManagementPlane,
): readonly PolicyRule[] {
  const targets = plane === "cluster" ? ofClusters : ofProjects;
  return narrowed(
    rules.filter(({ resourceNames = [] }) => resourceNames.length === 0),
    targets,
  );
}

/** The rules of a project's template that count outside of namespaces, each narrowed to one of seven resources, with its own verbs and names. */
export function promotedRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  return narrowed(rules, promoted);
}

function narrowed(rules: readonly PolicyRule[], targets: readonly Target[]): readonly PolicyRule[] {
  return rules.flatMap((rule) => targets.flatMap((target) => narrow(rule, target)));
}

function narrow(rule: PolicyRule, { resource, group, only }: Target): readonly PolicyRule[] {
  const { verbs, resourceNames = [] } = rule;
  if (verbs.length === 0) return []; // of no use, and Kubernetes refuses it
  if (!names(rule.resources, resource) || !names(rule.apiGroups, group)) return [];
  const all = only === undefined || resourceNames.length === 0 || resourceNames.includes(only);
  if (!all) return [];
  const kept = only === undefined ? resourceNames : [only];
  return [
    {
      verbs,
      apiGroups: [group],
      resources: [resource],
      ...(kept.length > 0 && { resourceNames: kept }),
    },
  ];
}

function names(values: readonly string[] | undefined, value: string): boolean {
  return values !== undefined && (values.includes(value) || values.includes("*"));
}

/**
 * Whether rules make their holder an owner of a cluster or a project of this name. Only the verb `own` itself does, so that an administrator's `*` of a
 * Kubernetes role is no ownership (rancher: common.go, which looks for the very words).
 */
export function makesOwner(
  rules: readonly PolicyRule[],
  resource: "clusters" | "projects",
  name: string,
): boolean {
  return rules.some(
    ({ verbs, apiGroups, resources = [], resourceNames = [] }) =>
      verbs.includes("own") &&
      resources.includes(resource) &&
      names(apiGroups, management) &&
      (resourceNames.length === 0 || resourceNames.includes(name)),
  );
}

/** Whether rules allow to create namespaces of any name. */
export function allowsCreatingNamespaces(rules: readonly PolicyRule[]): boolean {
  return holds(rules, { verbs: ["create"], apiGroups: [""], resources: ["namespaces"] });
}

/** Whether rules allow to loosen the Pod security of a project's namespaces. */
export function allowsPodSecurity(rules: readonly PolicyRule[], project: string): boolean {
  return holds(rules, {
    verbs: ["updatepsa"],
    apiGroups: [management],
    resources: ["projects"],
    resourceNames: [project],
  });
}

/** Whether rules allow to read or create ClusterRegistrationTokens, whose values are in Secrets that must then be readable too. */
export function allowsRegistrationTokens(rules: readonly PolicyRule[]): boolean {
  const about = { apiGroups: [management], resources: ["clusterregistrationtokens"] };
  return ["get", "list", "watch", "create"].some((verb) =>
    holds(rules, { verbs: [verb], ...about }),
  );
}

function holds(rules: readonly PolicyRule[], wanted: PolicyRule): boolean {
  return covers(rules, [wanted]).length === 0;
}

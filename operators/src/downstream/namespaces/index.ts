import {
  annotations,
  ClusterRoleTemplateBinding,
  clustersOfProjectBinding,
  labels,
  Project,
  ProjectRoleTemplateBinding,
  Setting,
} from "@drover/crds";
import { type Environment, namesIn } from "@drover/platform";
import {
  type CacheAccess,
  type Controller,
  changed,
  type FromHub,
  type Place,
  readable,
  related,
  where,
} from "kopf-ts";
import {
  ClusterRole,
  ClusterRoleBinding,
  Namespace,
  RoleBinding,
  ServiceAccount,
} from "kopf-ts/kinds";
import { defaultAccounts } from "./account.ts";
import { grantsOf, namespacesOf, ownersOf } from "./bindings.ts";
import { isFleet, isPopulated } from "./desired.ts";
import { controllerName, indexes, initialKey } from "./names.ts";
import { forget, type Memory, reconcile } from "./reconcile.ts";

const ofCluster: FromHub<Project> = { clusters: ({ metadata }) => [metadata.namespace ?? ""] };
const boundInCluster = { clusters: clustersOfProjectBinding };

/** Keeps what namespaces say of their project, of their roles and of the system, and takes away what other projects left in them. */
export function clusterNamespaces({ env }: { readonly env: Environment }): Controller<Namespace> {
  const memory: Memory = { env, warned: new Map() };
  return {
    name: controllerName,
    watches: Namespace,
    terminating: true, // to let go of those that a legacy finalizer holds
    when: changed(({ metadata: { labels, annotations, finalizers, deletionTimestamp } }) => [
      labels,
      annotations,
      finalizers,
      deletionTimestamp,
    ]),
    indexes: {
      [indexes.project]: projectOf,
      [indexes.pendingIn]: (namespace) => (isPopulated(namespace) ? [] : projectOf(namespace)),
      [indexes.pending]: (namespace) => (isPopulated(namespace) ? [] : [namespace.metadata.name]),
      [indexes.fleet]: (namespace) => (isFleet(namespace) ? ["true"] : []),
    },
    related: [
      related(ServiceAccount, {
        select: defaultAccounts,
        map: ({ metadata }) => [metadata.namespace ?? ""],
      }),
      related(RoleBinding, {
        indexes: { [indexes.owned]: ownedIn },
        map: ownedIn,
      }),
      related(ClusterRole, {
        indexes: { [indexes.named]: namespacesOf },
        map: (role, cache) => pendingAmong(namespacesOf(role), cache),
      }),
      related(ClusterRoleBinding, {
        indexes: { [indexes.grant]: grantsOf },
        map: ({ roleRef }, cache) => {
          const role = cache(ClusterRole).get(roleRef.name);
          return role === undefined ? [] : pendingAmong(namespacesOf(role), cache);
        },
      }),
      related(Project, {
        hub: ofCluster,
        indexes: { [indexes.initial]: initialKeys },
        when: changed((project) => [initialKeys(project), project.metadata.deletionTimestamp]),
        map: concernedBy,
      }),
      related(ProjectRoleTemplateBinding, {
        hub: boundInCluster,
        indexes: { [indexes.bindings]: ({ projectName }) => [projectName] },
        map: ({ projectName }, cache) =>
          cache(Namespace).keysByIndex(indexes.pendingIn, projectName),
      }),
      related(Setting, {
        hub: true,
        when: where(({ metadata }) => metadata.name === "system-namespaces"),
        map: (setting, cache) =>
          namesIn(setting.value || setting.default || "").filter((name) =>
            cache(Namespace).has(name),
          ),
      }),
    ],
    reads: [readable(ClusterRoleTemplateBinding, { hub: true, metadataOnly: true })],
    reconcile: (namespace, context) => reconcile(namespace, context, memory),
    gone: (key, context) => forget(key, context, memory),
  };
}

function projectOf({ metadata }: Pick<Namespace, "metadata">): readonly string[] {
  const id = metadata.annotations?.[annotations.projectId];
  return id ? [id] : [];
}

function ownedIn(binding: RoleBinding): readonly string[] {
  return ownersOf(binding).length === 0 ? [] : [binding.metadata.namespace ?? ""];
}

/** Those that still have to say that their roles are there. */
function pendingAmong(names: readonly string[], cache: CacheAccess): readonly string[] {
  return names.filter((name) => cache(Namespace).keysByIndex(indexes.pending, name).length > 0);
}

function initialKeys({ metadata }: Project): readonly string[] {
  const { namespace = "", labels: said = {} } = metadata;
  return [
    ...(said[labels.defaultProject] === "true" ? [initialKey(namespace, "default")] : []),
    ...(said[labels.systemProject] === "true" ? [initialKey(namespace, "system")] : []),
  ];
}

/** Its namespaces, and those that are always in the system project. */
function concernedBy(project: Project, cache: CacheAccess, { cluster }: Place): readonly string[] {
  const own = cache(Namespace).keysByIndex(indexes.project, `${cluster}:${project.metadata.name}`);
  const isSystem = project.metadata.labels?.[labels.systemProject] === "true";
  return isSystem ? [...own, ...cache(Namespace).keysByIndex(indexes.fleet, "true")] : own;
}

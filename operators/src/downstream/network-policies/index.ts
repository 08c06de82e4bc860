import {
  Cluster,
  labels,
  Project,
  ProjectNetworkPolicy,
  parseProjectId,
  projectKeyOf,
} from "@drover/crds";
import {
  type CacheAccess,
  type Controller,
  changed,
  type FromHub,
  keyOf,
  type Place,
  readable,
  related,
  setIndex,
} from "kopf-ts";
import { Namespace, NetworkPolicy, Node, Pod, Service } from "kopf-ts/kinds";
import { tellApplied } from "./applied.ts";
import { addressOf, idIn, isExposed, isOpen, maybeOurs, memberOf } from "./desired.ts";
import { controllerNames, enabledAnnotation, indexes, podNameLabel } from "./names.ts";
import { mark } from "./projects.ts";
import { reconcile } from "./reconcile.ts";

const itself: FromHub<Cluster> = { clusters: ({ metadata }) => [metadata.name] };
const ofNamespace: FromHub<Project> = { clusters: ({ metadata }) => [metadata.namespace ?? ""] };
const ofProject: FromHub<ProjectNetworkPolicy> = {
  clusters: ({ spec }) => {
    const id = parseProjectId(spec?.projectName ?? "");
    return id === undefined ? [] : [id.cluster];
  },
};

const namespaceIndexes = {
  [indexes.member]: memberOf,
  [indexes.inProject]: (namespace: Namespace) => (idIn(namespace) === undefined ? [] : ["all"]),
};
const policyIndexes = {
  [setIndex.name]: setIndex.of,
  [indexes.home]: ({ metadata }: NetworkPolicy) => [metadata.namespace ?? ""],
  [indexes.ours]: (policy: NetworkPolicy) => (maybeOurs(policy) ? ["ours"] : []),
};
const projectIndexes = {
  [indexes.system]: ({ metadata }: Project) =>
    isSystem(metadata) ? [metadata.namespace ?? ""] : [],
};

/** Keeps the Pods of a project apart from those of others, where the cluster asks for it. */
export const networkPolicies: Controller<Namespace> = {
  name: controllerNames.namespaces,
  watches: Namespace,
  when: changed((namespace) => [memberOf(namespace)]),
  indexes: namespaceIndexes,
  related: [
    related(Cluster, {
      hub: itself,
      when: changed(({ spec }) => spec?.enableNetworkPolicy === true),
      map: (_, cache) => [...inProjects(cache), ...homesOfOurs(cache)],
    }),
    related(Project, {
      hub: ofNamespace,
      indexes: projectIndexes,
      when: changed(({ metadata }) => isSystem(metadata)),
      map: (project, cache) =>
        isSystem(project.metadata)
          ? inProjects(cache)
          : cache(Namespace).keysByIndex(indexes.member, keyOf(project)),
    }),
    related(Node, { when: changed(addressOf), map: (_, cache) => inProjects(cache) }),
    related(Service, {
      indexes: {
        [indexes.open]: (service) => (isOpen(service) ? [service.metadata.namespace ?? ""] : []),
      },
      map: (service) => (isOpen(service) ? [service.metadata.namespace ?? ""] : []),
    }),
    related(Pod, {
      indexes: {
        [indexes.exposed]: (pod) => (isExposed(pod) ? [pod.metadata.namespace ?? ""] : []),
      },
      when: changed((pod) => [isExposed(pod), pod.metadata.labels?.[podNameLabel]]),
      map: (pod) => (isExposed(pod) ? [pod.metadata.namespace ?? ""] : []),
    }),
    related(NetworkPolicy, {
      indexes: policyIndexes,
      map: ({ metadata }) => [metadata.namespace ?? ""],
    }),
  ],
  reconcile,
};

/** Tells of the cluster whether its projects are kept apart. */
export const networkIsolation: Controller<Cluster> = {
  name: controllerNames.cluster,
  watches: Cluster,
  hub: itself,
  when: changed(({ metadata, spec, status }) => [
    spec?.enableNetworkPolicy,
    metadata.annotations?.[enabledAnnotation],
    status?.appliedEnableNetworkPolicy,
  ]),
  related: [
    related(Namespace, {
      indexes: namespaceIndexes,
      when: changed((namespace) => [memberOf(namespace), namespace.metadata.deletionTimestamp]),
      map: thisCluster,
    }),
    related(NetworkPolicy, { indexes: policyIndexes, map: thisCluster }),
  ],
  reads: [readable(Project, { hub: ofNamespace, indexes: projectIndexes })],
  reconcile: tellApplied,
};

/** Marks the projects of a cluster that keeps them apart, on the management cluster. */
export const projectNetworkPolicies: Controller<Project> = {
  name: controllerNames.projects,
  watches: Project,
  hub: ofNamespace,
  when: changed(({ status }) => [status?.backingNamespace, status?.conditions]),
  indexes: { [indexes.cluster]: ({ metadata }) => [metadata.namespace ?? ""] },
  related: [
    related(Cluster, {
      hub: itself,
      when: changed(({ spec }) => spec?.enableNetworkPolicy === true),
      map: ({ metadata }, _cache, { hub }) =>
        hub(Project).keysByIndex(indexes.cluster, metadata.name),
    }),
    related(ProjectNetworkPolicy, {
      hub: ofProject,
      indexes: { [setIndex.name]: setIndex.of },
      map: ({ spec }) => {
        const id = parseProjectId(spec?.projectName ?? "");
        return id === undefined ? [] : [projectKeyOf(id)];
      },
    }),
  ],
  reconcile: mark,
};

function isSystem({ labels: own }: Project["metadata"]): boolean {
  return own?.[labels.systemProject] === "true";
}

function inProjects(cache: CacheAccess): readonly string[] {
  return cache(Namespace).keysByIndex(indexes.inProject, "all");
}

function homesOfOurs(cache: CacheAccess): readonly string[] {
  const ours = cache(NetworkPolicy).byIndex(indexes.ours, "ours");
  return ours.map(({ metadata }) => metadata.namespace ?? "");
}

function thisCluster(_object: unknown, _cache: CacheAccess, { cluster }: Place): readonly string[] {
  return [cluster];
}

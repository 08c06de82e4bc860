/** Project and its quotas (rancher: pkg/apis/management.cattle.io/v3/{project_types,resource_quota_types}.go). */

import type { Kind, KubeObject } from "kopf-ts";
import { managementKind, type NormanCondition } from "../management.ts";

/** A group of namespaces in one cluster; its own namespace is named like the cluster. There is no status subresource. */
export interface Project extends KubeObject {
  readonly spec?: ProjectSpec;
  readonly status?: ProjectStatus;
}

export const Project: Kind<Project> = managementKind("Project", "projects", "Namespaced");

/** What is wanted of a project. The two quotas are set together or not at all. */
export interface ProjectSpec {
  readonly displayName: string;
  readonly description?: string;
  /** Equals the namespace; immutable. */
  readonly clusterName: string;
  readonly resourceQuota?: ProjectResourceQuota;
  readonly namespaceDefaultResourceQuota?: NamespaceResourceQuota;
  readonly containerDefaultResourceLimit?: ContainerResourceLimit;
}

/** What a project's namespaces may use together, and how much of it their quotas take up. */
export interface ProjectResourceQuota {
  readonly limit?: ResourceQuotaLimit;
  readonly usedLimit?: ResourceQuotaLimit;
}

/** The quota of one namespace. */
export interface NamespaceResourceQuota {
  readonly limit?: ResourceQuotaLimit;
}

/** Amounts as Kubernetes quantities. `extended` goes by ResourceQuota's own names; a named field wins over it. */
export interface ResourceQuotaLimit {
  readonly pods?: string;
  readonly services?: string;
  readonly replicationControllers?: string;
  readonly secrets?: string;
  readonly configMaps?: string;
  readonly persistentVolumeClaims?: string;
  readonly servicesNodePorts?: string;
  readonly servicesLoadBalancers?: string;
  readonly requestsCpu?: string;
  readonly requestsMemory?: string;
  readonly requestsStorage?: string;
  readonly limitsCpu?: string;
  readonly limitsMemory?: string;
  readonly extended?: Readonly<Record<string, string>>;
}

/** Requests and limits of a container that names none, as Kubernetes quantities. */
export interface ContainerResourceLimit {
  readonly requestsCpu?: string;
  readonly requestsMemory?: string;
  readonly limitsCpu?: string;
  readonly limitsMemory?: string;
}

/** What is known of a project. An empty backingNamespace (old projects) means the project's own name. */
export interface ProjectStatus {
  readonly backingNamespace?: string;
  readonly conditions?: readonly NormanCondition[];
}

/** Labels and annotations of namespaces in managed clusters, besides those of names.ts. */

/** Annotation keys. */
export const namespaceAnnotations = {
  /** JSON `{"limit": {...}}`: the quota that is asked for. */
  resourceQuota: "field.cattle.io/resourceQuota",
  /** `<cluster>:<project>` of the project whose quota the namespace was counted for last. */
  resourceQuotaProjectId: "field.cattle.io/resourceQuotaProjectId",
  /** JSON: requests and limits of containers that name none. */
  containerDefaultResourceLimit: "field.cattle.io/containerDefaultResourceLimit",
  /** JSON: conditions, written by several controllers. */
  status: "cattle.io/status",
} as const;

/** Types of the conditions of a namespace. */
export const namespaceConditionTypes = {
  initialRolesPopulated: "InitialRolesPopulated",
  resourceQuotaInit: "ResourceQuotaInit",
  resourceQuotaValidated: "ResourceQuotaValidated",
} as const;

/** "true" on the ResourceQuota and the LimitRange that a project gives each of its namespaces; what people make besides has no such label. */
export const defaultQuotaLabel = "resourcequota.management.cattle.io/default-resource-quota";

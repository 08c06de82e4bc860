/** Names that people and programs see. */

/** The controller; its field manager is `drover-resource-quotas`. */
export const controllerName = "resource-quotas";

/** Annotation of a ResourceQuota that is not as its namespace asks: JSON of the amounts that it was given last, so that nobody raises them by hand meanwhile. */
export const grantedAnnotation = "drover.dev/granted-quota";

/** Reasons of Events about a Project. */
export const reasons = {
  /** A namespace asks for what does not fit, or is no amount. */
  quotaRefused: "ResourceQuotaRefused",
} as const;

/** Indexes. */
export const indexes = {
  /** Namespaces by the key of the Project that they are in. */
  member: "resource-quotas.member",
  /** Namespaces by the key of the Project that they were counted for last. */
  counted: "resource-quotas.counted",
  /** ResourceQuotas by the key of the Project that they were made for. */
  quota: "resource-quotas.project",
} as const;

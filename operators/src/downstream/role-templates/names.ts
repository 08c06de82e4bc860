/** Names that people and programs see. */

/** The controller; its field manager is `drover-downstream-role-templates`. */
export const controllerName = "downstream-role-templates";

/** Reasons of Events. */
export const reasons = {
  /** Templates inherit each other: none of them takes over the other's rules. */
  circular: "CircularInheritance",
  /** An inherited template is not there. */
  missing: "RoleTemplateNotFound",
  /** Kubernetes would not store the rules. */
  invalidRules: "InvalidRules",
} as const;

/** Annotation on the ClusterRole of an external template, `<cluster>/<template>`: that we labelled it. */
export const aggregatedFor = "drover.dev/aggregated-for";

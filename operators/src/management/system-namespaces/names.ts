/** Names that people and programs see. */

/** The controller; its field manager is `drover-system-namespaces`. */
export const controllerName = "system-namespaces";
/** What it does to a namespace, in Events. */
export const recreateAction = "Recreate";

/** Its existence says that the first data are there; made last (rancher: pkg/data/management). */
export const markerNamespace = "cattle-global-data";

/** Reasons of Events. */
export const reasons = {
  /** A system namespace was deleted and made anew. */
  recreated: "SystemNamespaceRecreated",
} as const;

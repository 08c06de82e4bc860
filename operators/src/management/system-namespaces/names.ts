/** Names that people and programs see. */

/** The controller; its field manager is `drover-system-namespaces`. */
export const controllerName = "system-namespaces";
/** What it does to a namespace, in Events. */
export const recreateAction = "Recreate";

/** Reasons of Events. */
export const reasons = {
  /** A system namespace was deleted and made anew. */
  recreated: "SystemNamespaceRecreated",
} as const;

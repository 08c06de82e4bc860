/** Names that people and programs see. */

/** The controller; its field manager is `drover-container-limits`. */
export const controllerName = "container-limits";

/** Reasons of Events about a namespace. */
export const reasons = {
  /** The annotation cannot be read, or the API server does not take what it says. */
  invalid: "InvalidContainerDefaultResourceLimit",
} as const;

/** Indexes. */
export const indexes = {
  /** Namespaces by the key of the Project that they are in. */
  member: "container-limits.member",
} as const;

/** Names that people and programs see. */

/** The controller; its field manager is `drover-local-cluster`. */
export const controllerName = "local-cluster";

/** Names that people and programs see. */

/** The controller; its field manager is `drover-local-cluster`. */
export const controllerName = "local-cluster";

/** The cluster that the server itself runs in, and the namespace of its objects. */
export const localName = "local";

/** The workspace of the cluster in Fleet. */
export const localWorkspace = "fleet-local";

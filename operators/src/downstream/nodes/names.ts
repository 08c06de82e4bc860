/** Names that people and programs see. */

/** The controller; its field manager is `drover-nodes`. */
export const controllerName = "nodes";

/** Index of the hub's management Nodes by `<cluster>/<node that they stand for>`. */
export const byNode = "nodes.node";

/** The setting that names nodes to pass over. */
export const ignoreSetting = "ignore-node-name";

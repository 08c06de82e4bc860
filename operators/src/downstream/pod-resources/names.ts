/** Names that people and programs see. */

/** The controller; its field manager is `drover-pod-resources`. */
export const controllerName = "pod-resources";

/** Index of Pods by the node that they run on. */
export const podsByNode = "pod-resources.node";

/** Milliseconds between two writes to one node. */
export const pause = 15_000;

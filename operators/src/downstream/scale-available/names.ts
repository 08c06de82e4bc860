/** Names that people and programs see. */

/** The controller; its field manager is `drover-scale-available`. */
export const controllerName = "scale-available";

/** Index of Deployments that say how many replicas are right: byIndex(annotated, "true"). */
export const annotated = "scale-available.annotated";

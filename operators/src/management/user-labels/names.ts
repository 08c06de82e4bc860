/** Names that people and programs see. */

/** The controller; its field manager is `drover-user-labels`. */
export const controllerName = "user-labels";

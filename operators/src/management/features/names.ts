/** The controller; its field manager is `drover-features`. */
export const controllerName = "features";

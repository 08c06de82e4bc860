/** The controller; its field manager is `drover-settings`. */
export const controllerName = "settings";

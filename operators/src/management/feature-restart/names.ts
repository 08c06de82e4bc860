/** The controller; it writes nothing. */
export const controllerName = "feature-restart";

/** Milliseconds between what the log says and the end of the process (rancher: pkg/controllers/dashboardapi/feature). */
export const grace = 3_000;

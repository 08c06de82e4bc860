/** Names that people and programs see. */

/** The controller; its field manager is `drover-cluster-version`. */
export const controllerName = "cluster-version";

/** Milliseconds between two questions, for a cluster that is upgraded tells nobody. */
export const lookEvery: number = 5 * 60_000;

/** The same for one that gave no answer. */
export const lookAgain = 60_000;

/** Milliseconds for the answer (rancher: pkg/controllers/management/clusterstats). */
export const patience = 15_000;

/** Bytes of the answer at most: an API server says half a kilobyte, and whoever else it is costs no more. */
export const answerLimit: number = 64 << 10;

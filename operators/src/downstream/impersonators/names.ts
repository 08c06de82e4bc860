/** Names that people and programs see. */

/** The controller; its field manager is `drover-downstream-impersonators`. */
export const controllerName = "downstream-impersonators";

/** Indexes of both kinds of bindings, by `<cluster>/<user>`. */
export const indexes = {
  clusterUser: "downstream-impersonators.cluster-user",
  projectUser: "downstream-impersonators.project-user",
} as const;

/** Keys of extra information about a user (rancher: pkg/auth/providers/common). */
export const extras = {
  principal: "principalid",
  name: "username",
  /** Any value may be sent: the API server of the hub checks whose token it is. */
  token: "requesttokenid",
  host: "requesthost",
} as const;

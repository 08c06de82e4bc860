/** Names that people and programs see. */

/** The controller; its field manager is `drover-project-secret-labels`. */
export const controllerName = "project-secret-labels";

/** Indexes. */
export const indexes = {
  /** Projects by the namespace of their own objects. */
  backing: "project-secret-labels.backing",
  /** Secrets by their namespace. */
  home: "project-secret-labels.home",
} as const;

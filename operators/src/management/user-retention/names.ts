/** Names that people and programs see. */

import type { SettingName } from "@drover/platform";

/** The controller; its field manager is `drover-user-retention`. */
export const controllerName = "user-retention";
/** The setting that says when inactive users are looked for. */
export const cronSetting: SettingName = "user-retention-cron";
/** What it does to a user, in Events. */
export const retentionAction = "Retire";

/** Reasons of Events. */
export const reasons = {
  disable: "InactiveUserDisabled",
  delete: "InactiveUserDeleted",
} as const;

/** Counts users that the API server accepted to be disabled or deleted. */
export const retiredMetric = {
  name: "drover_inactive_users_total",
  help: "Users that were disabled or deleted because they had not logged in for long",
  labels: ["action"],
} as const;

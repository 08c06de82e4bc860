/** Names that people and programs see. */

import type { SettingName } from "@drover/platform";

/** The controller that reads groups anew; its field manager is `drover-user-refresh`. */
export const refreshName = "user-refresh";
/** The controller that asks for it, of everybody; its field manager is `drover-user-resync`. */
export const resyncName = "user-resync";
/** The setting that says when all users are read anew. */
export const cronSetting: SettingName = "auth-user-info-resync-cron";

/** Annotation of a UserAttribute: why the last refresh failed for good. */
export const errorAnnotation = "authn.management.cattle.io/refresh-error";

/** Reasons of Events. */
export const reasons = {
  /** A provider, or all of them, let the user in no more. */
  accessLost: "AccessLost",
  /** Groups cannot be read until the user logs in again. */
  failed: "RefreshFailed",
} as const;

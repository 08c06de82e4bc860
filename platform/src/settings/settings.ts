/** The one table of settings, and who may read them. */

import type { SettingSpec } from "./spec.ts";
import { agentSettings } from "./table/agents.ts";
import { authSettings } from "./table/auth.ts";
import { serverSettings } from "./table/server.ts";
import { uiSettings } from "./table/ui.ts";

/** Name of a setting the server knows. */
export type SettingName =
  | keyof typeof agentSettings
  | keyof typeof authSettings
  | keyof typeof serverSettings
  | keyof typeof uiSettings;

/** Every setting the server knows; objects of other names are removed when it starts (rancher: pkg/settings). */
export const settings: Readonly<Record<SettingName, SettingSpec>> = {
  ...serverSettings,
  ...authSettings,
  ...agentSettings,
  ...uiSettings,
};

/** Whether the server knows a setting of this name. */
export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settings, name);
}

/** All names, in the table's order. */
export const settingNames: readonly SettingName[] = Object.keys(settings).filter(isSettingName);

/** What callers without login may read (ClusterRole cattle-unauthenticated). */
export const publicSettings: readonly SettingName[] = settingNames.filter(
  (name) => settings[name].public === true,
);

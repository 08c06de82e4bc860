export { nextCronTime } from "./cron.ts";
export {
  desiredSettings,
  newSetting,
  repairedSetting,
  type SettingChanges,
  type SettingOptions,
} from "./desired.ts";
export { namesIn } from "./list.ts";
export { type LiveSettings, liveSettings } from "./live.ts";
export {
  booleanOf,
  bytesOf,
  defaultOf,
  type Environment,
  environmentName,
  environmentValue,
  millisecondsOf,
  numberOf,
  type Resolved,
  type SettingSource,
  type Sources,
  settingValue,
} from "./read.ts";
export {
  type SettingChange,
  type SettingRefusal,
  type SettingSurroundings,
  settingRefusal,
  valueProblem,
} from "./refusal.ts";
export { Rounds, type RoundsOptions } from "./rounds.ts";
export {
  isSettingName,
  publicSettings,
  type SettingName,
  settingNames,
  settings,
} from "./settings.ts";
export type { SettingSpec, ValueKind } from "./spec.ts";
export { isTime, parseSize } from "./value.ts";

import { randomUUID } from "node:crypto";
import type { Setting } from "@drover/crds";
import { type Environment, isSettingName, newSetting, repairedSetting } from "@drover/platform";

/** What settings get while they have no value: the installation gets its identity once. */
export const once = (): { readonly "install-uuid": string } => ({ "install-uuid": randomUUID() });

/** The fields that have to be written; undefined if the Setting is as it should be, or nobody knows it. */
export function repair(
  setting: Setting,
  env: Environment,
): Pick<Setting, "value" | "default" | "source"> | undefined {
  const wanted = repairedSetting(setting, env, { once: once() });
  if (wanted === undefined) return undefined;
  const { value, default: usual, source } = wanted;
  return {
    ...(value !== undefined && { value }),
    ...{ default: usual ?? "", source: source ?? "" },
  };
}

/** The Setting that takes the place of a deleted one: as the next start would make it, when others were there. Undefined for an unknown name. */
export function replacement(name: string, env: Environment): Setting | undefined {
  return isSettingName(name) ? newSetting(name, env, { upgrade: true, once: once() }) : undefined;
}

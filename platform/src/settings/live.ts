import type { Setting } from "@drover/crds";
import type { Cache } from "kopf-ts";
import {
  booleanOf,
  bytesOf,
  type Environment,
  millisecondsOf,
  numberOf,
  settingValue,
} from "./read.ts";
import type { SettingName } from "./settings.ts";

/** The settings as they are at each call. */
export interface LiveSettings {
  text(name: SettingName): string;
  number(name: SettingName): number;
  boolean(name: SettingName): boolean;
  bytes(name: SettingName): number;
  /** Of a duration, or of a number of seconds, minutes or days; undefined for an empty one. */
  milliseconds(name: SettingName): number | undefined;
}

/** Reads from a cache of Settings, which follows the server; what the environment says comes first. */
export function liveSettings(cache: Pick<Cache<Setting>, "get">, env: Environment): LiveSettings {
  const sources = (name: SettingName) => ({ env, object: cache.get(name) });
  return {
    text: (name) => settingValue(name, sources(name)).value,
    number: (name) => numberOf(name, sources(name)),
    boolean: (name) => booleanOf(name, sources(name)),
    bytes: (name) => bytesOf(name, sources(name)),
    milliseconds: (name) => millisecondsOf(name, sources(name)),
  };
}

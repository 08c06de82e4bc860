/** What Settings the server wants when it starts (rancher: pkg/controllers/dashboardapi/settings). */

import { Setting } from "@drover/crds";
import { defaultOf, type Environment, environmentValue } from "./read.ts";
import { isSettingName, type SettingName, settingNames, settings } from "./settings.ts";

/** What is to be written so that the Settings are as the server wants them; all empty if they are. */
export interface SettingChanges {
  /** In this order: see desiredSettings. */
  readonly create: readonly Setting[];
  /** Whole objects, with the resourceVersion they were decided on. */
  readonly update: readonly Setting[];
  /** Of names the server does not know. */
  readonly remove: readonly Setting[];
}

/** What desiredSettings may be told. */
export interface SettingOptions {
  /** Whether an older server ran here before. Unless given: whether any Setting exists. */
  readonly upgrade?: boolean;
  /** Defaults that the server finds out, instead of the table's. One that the table calls computed and that is not among them keeps what it has. */
  readonly computed?: SettingTexts;
  /** Values that settings get once, while they have none. */
  readonly once?: SettingTexts;
}

/** A text for each of some settings. */
type SettingTexts = Readonly<Partial<Record<SettingName, string>>>;

/**
 * Missing settings, stale defaults, values the environment forces, and unknown names. A setting whose variable is gone goes back
 * to its default. Values that people set are never touched.
 *
 * A setting with a default of its own for upgrades takes it only while it is missing, and keeps what it got: a second start
 * is no upgrade. It is created first, so that a first start that was cut short does not look like an older server.
 */
export function desiredSettings(
  existing: readonly Setting[],
  env: Environment,
  { upgrade = existing.length > 0, computed = {}, once = {} }: SettingOptions = {},
): SettingChanges {
  const options = { upgrade, computed, once };
  const found = new Map(existing.map((object) => [object.metadata.name, object]));
  const missing = settingNames.filter((name) => !found.has(name));
  const first = missing.filter((name) => settings[name].upgradeDefault !== undefined);
  const rest = missing.filter((name) => settings[name].upgradeDefault === undefined);
  return {
    create: [...first, ...rest].map((name) => newSetting(name, env, options)),
    update: existing.flatMap((object) => repairedSetting(object, env, options) ?? []),
    remove: existing.filter(({ metadata }) => !isSettingName(metadata.name)),
  };
}

/** A Setting as the server makes it. */
export function newSetting(
  name: SettingName,
  env: Environment,
  { upgrade = false, computed = {}, once = {} }: SettingOptions = {},
): Setting {
  const forced = environmentValue(name, env);
  const usual = computed[name] ?? defaultOf(name, env);
  return {
    apiVersion: `${Setting.group}/${Setting.version}`,
    kind: Setting.kind,
    metadata: { name },
    value: forced ?? once[name] ?? "",
    default: (upgrade ? settings[name].upgradeDefault : undefined) ?? usual,
    source: forced === undefined ? "" : "env",
  };
}

/** The Setting as it has to be; undefined if it is so, or nobody knows it. Unless told, this is no upgrade. */
export function repairedSetting(
  object: Setting,
  env: Environment,
  { upgrade = false, computed = {}, once = {} }: SettingOptions = {},
): Setting | undefined {
  const { name } = object.metadata;
  if (!isSettingName(name)) return undefined;
  const { value, source } = wantedSource(object, env);
  const wanted = {
    value: value || (once[name] ?? ""),
    source,
    default: wantedDefault(name, object, env, { upgrade, computed }),
  };
  const same =
    (object.value ?? "") === wanted.value &&
    (object.source ?? "") === wanted.source &&
    (object.default ?? "") === wanted.default;
  return same ? undefined : { ...object, ...wanted };
}

function wantedSource(
  { metadata, value = "", source = "" }: Setting,
  env: Environment,
): { readonly value: string; readonly source: string } {
  const forced = environmentValue(metadata.name, env);
  if (forced !== undefined) return { value: forced, source: "env" };
  // Nobody chose the value of a variable that is gone, and as long as the source says env nobody could change it.
  return source === "env" ? { value: "", source: "" } : { value, source };
}

function wantedDefault(
  name: SettingName,
  object: Setting,
  env: Environment,
  { upgrade, computed }: Required<Pick<SettingOptions, "upgrade" | "computed">>,
): string {
  const { upgradeDefault, computed: isComputed = false } = settings[name];
  const kept = isComputed ? object.default : undefined;
  const usual = computed[name] ?? kept ?? defaultOf(name, env);
  if (upgradeDefault === undefined || object.default === usual) return usual;
  return upgrade || object.default === upgradeDefault ? upgradeDefault : usual;
}

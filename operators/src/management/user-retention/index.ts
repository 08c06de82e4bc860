import { Setting, User, UserAttribute } from "@drover/crds";
import { type Environment, Rounds, type RoundsOptions } from "@drover/platform";
import { type Controller, done, type Metrics, where } from "kopf-ts";
import { controllerName, cronSetting, retiredMetric } from "./names.ts";
import { retain, type Shared } from "./reconcile.ts";
import { Tally } from "./tally.ts";

/** Options of userRetention. */
export interface UserRetentionOptions {
  /** Overrides settings. */
  readonly env: Environment;
  readonly metrics?: Metrics | undefined;
  readonly pace?: RoundsOptions;
}

/** Disables and deletes users that have not logged in for long. Its one object is the setting that says when. */
export function userRetention({ env, metrics, pace }: UserRetentionOptions): Controller<Setting> {
  const retired = metrics?.counter(retiredMetric);
  const shared: Shared = {
    env,
    rounds: new Rounds(pace),
    tally: new Tally(),
    retired: {
      disable: retired?.with({ action: "disabled" }),
      delete: retired?.with({ action: "deleted" }),
    },
  };
  return {
    name: controllerName,
    watches: Setting,
    when: where(isCron),
    reads: [User, UserAttribute],
    reconcile: async (setting, context) => (isCron(setting) ? retain(context, shared) : done),
  };
}

function isCron({ metadata }: Setting): boolean {
  return metadata.name === cronSetting;
}

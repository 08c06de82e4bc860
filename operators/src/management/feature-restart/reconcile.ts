import type { Feature } from "@drover/crds";
import {
  effectOfChange,
  type FeatureDefaults,
  type FeatureName,
  featureValue,
  isFeatureName,
} from "@drover/platform";
import { type Context, done, type Result, requeueAfter } from "kopf-ts";
import { grace } from "./names.ts";

/** What the restart of a process needs to know. */
export interface RestartOptions {
  /** Defaults of the features in this process. */
  readonly features: FeatureDefaults;
  readonly restart: (reason: string) => void;
}

/** What this process runs with. A process that starts anew takes the values as they are then. */
export class Running {
  readonly #options: RestartOptions;
  /** As each feature was last obeyed: a dynamic one at once, others only when the process started. */
  readonly #obeyed = new Map<FeatureName, Feature | undefined>();
  /** When it was said of a feature that the process will end, by the monotonic clock. */
  readonly #announced = new Map<FeatureName, number>();

  constructor(options: RestartOptions) {
    this.#options = options;
  }

  /** Follows a feature; undefined: its object is gone. */
  follow(key: string, feature: Feature | undefined, { clock, log }: Context): Result {
    if (!isFeatureName(key)) return done;
    if (!this.#obeyed.has(key)) this.#obeyed.set(key, feature);
    const { features: defaults, restart } = this.#options;
    const effect = effectOfChange(key, this.#obeyed.get(key), feature, defaults);
    if (effect !== "restart") {
      if (effect === "apply") log.info("feature changed", { value: this.#value(key, feature) });
      if (effect === "apply") this.#obeyed.set(key, feature);
      if (this.#announced.delete(key)) log.info("feature changed back, no restart is needed");
      return done;
    }
    const left = this.#left(key, clock.monotonic());
    if (left === grace) {
      log.warn("feature changed that takes effect after a restart: this process ends", {
        value: this.#value(key, feature),
        seconds: grace / 1_000,
      });
    }
    if (left > 0) return requeueAfter(left);
    restart(`feature ${key} changed`);
    return done;
  }

  #value(name: FeatureName, object: Feature | undefined): boolean {
    return featureValue(name, { defaults: this.#options.features, object });
  }

  /** Milliseconds until the process ends; all of them when nobody said so yet. */
  #left(name: FeatureName, now: number): number {
    const since = this.#announced.get(name);
    if (since !== undefined) return Math.max(0, since + grace - now);
    this.#announced.set(name, now);
    return grace;
  }
}

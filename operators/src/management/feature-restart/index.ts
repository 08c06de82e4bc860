import { Feature } from "@drover/crds";
import type { Controller } from "kopf-ts";
import { controllerName } from "./names.ts";
import { type RestartOptions, Running } from "./reconcile.ts";

/** Ends the process when a feature changed that takes effect after a restart; on every replica. */
export function featureRestart(options: RestartOptions): Controller<Feature> {
  const running = new Running(options);
  return {
    name: controllerName,
    watches: Feature,
    reconcile: async (feature, context) => running.follow(context.key, feature, context),
    gone: async (name, context) => running.follow(name, undefined, context),
  };
}

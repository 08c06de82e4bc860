import { Setting } from "@drover/crds";
import type { Environment } from "@drover/platform";
import type { Controller } from "kopf-ts";
import { controllerName } from "./names.ts";
import { keep, recreate } from "./reconcile.ts";

/** Keeps the built-in settings as the server needs them. */
export function settings({ env }: { readonly env: Environment }): Controller<Setting> {
  return {
    name: controllerName,
    watches: Setting,
    reconcile: (setting, context) => keep(setting, context, env),
    gone: (name, context) => recreate(name, context, env),
  };
}

import { Feature } from "@drover/crds";
import type { FeatureDefaults } from "@drover/platform";
import type { Controller } from "kopf-ts";
import { controllerName } from "./names.ts";
import { keep, recreate } from "./reconcile.ts";

/** Keeps what the server says of its features. */
export function features({
  features: defaults,
}: {
  readonly features: FeatureDefaults;
}): Controller<Feature> {
  return {
    name: controllerName,
    watches: Feature,
    reconcile: (feature, context) => keep(feature, context, defaults),
    gone: (name, context) => recreate(name, context, defaults),
  };
}

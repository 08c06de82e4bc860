import type { Feature } from "@drover/crds";
import type { Cache } from "kopf-ts";
import type { FeatureDefaults } from "./defaults.ts";
import type { FeatureName } from "./table.ts";
import { featureValue } from "./value.ts";

/** Whether a feature is on at the time of the call; from a cache of Features, which follows the server. */
export function liveFeatures(
  cache: Pick<Cache<Feature>, "get">,
  defaults: FeatureDefaults,
): (name: FeatureName) => boolean {
  return (name) => featureValue(name, { defaults, object: cache.get(name) });
}

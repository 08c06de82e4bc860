export { type FeatureDefaults, FeatureListError, parseFeatures } from "./defaults.ts";
export { liveFeatures } from "./live.ts";
export {
  type FeatureName,
  type FeatureSpec,
  featureNames,
  features,
  isFeatureName,
} from "./table.ts";
export {
  desiredFeatures,
  effectOfChange,
  type FeatureChanges,
  type FeatureEffect,
  type FeatureSources,
  featureProblem,
  featureValue,
  newFeature,
  repairedFeature,
} from "./value.ts";

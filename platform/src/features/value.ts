/** The value of a feature that counts now, what the server wants stored, and what a change means. */

import { Feature } from "@drover/crds";
import type { FeatureDefaults } from "./defaults.ts";
import { type FeatureName, featureNames, features, isFeatureName } from "./table.ts";

/** Where the value of a feature may come from. */
export interface FeatureSources {
  readonly defaults: FeatureDefaults;
  /** The Feature of that name, if there is one. */
  readonly object?: Feature | undefined;
}

/** The value that counts: the locked one, the spec's, this process's default, in that order. */
export function featureValue(name: FeatureName, { defaults, object }: FeatureSources): boolean {
  return object?.status?.lockedValue ?? object?.spec?.value ?? defaults[name];
}

/** What is to be written so that the Features are as the server wants them; all empty if they are. */
export interface FeatureChanges {
  readonly create: readonly Feature[];
  /** Whole objects, with the resourceVersion they were decided on. */
  readonly update: readonly Feature[];
}

/**
 * Missing features, and stale default, dynamic and description. Values that people set are never touched, Features of
 * unknown names are left alone as upstream does, and what locks on is locked as soon as it is on, what is always on from the start.
 */
export function desiredFeatures(
  existing: readonly Feature[],
  defaults: FeatureDefaults,
): FeatureChanges {
  const found = new Set(existing.map(({ metadata }) => metadata.name));
  const missing = featureNames.filter((name) => !found.has(name));
  return {
    create: missing.map((name) => newFeature(name, defaults)),
    update: existing.flatMap((object) => repairedFeature(object, defaults) ?? []),
  };
}

/** A Feature as the server makes it. */
export function newFeature(name: FeatureName, defaults: FeatureDefaults): Feature {
  return {
    apiVersion: `${Feature.group}/${Feature.version}`,
    kind: Feature.kind,
    metadata: { name },
    spec: { value: null },
    status: wantedStatus(name, { defaults }),
  };
}

/** The Feature as it has to be; undefined if it is so, or nobody knows it. */
export function repairedFeature(object: Feature, defaults: FeatureDefaults): Feature | undefined {
  const { name } = object.metadata;
  if (!isFeatureName(name)) return undefined;
  const { status = {} } = object;
  const wanted = wantedStatus(name, { defaults, object });
  const same =
    status.default === wanted.default &&
    status.dynamic === wanted.dynamic &&
    status.description === wanted.description &&
    (wanted.lockedValue === undefined || status.lockedValue === wanted.lockedValue);
  return same ? undefined : { ...object, status: { ...status, ...wanted } };
}

function wantedStatus(name: FeatureName, sources: FeatureSources): NonNullable<Feature["status"]> {
  const { dynamic, description, locksOn = false, alwaysOn = false } = features[name];
  const status = { default: sources.defaults[name], dynamic, description };
  const isLocked = alwaysOn || (locksOn && featureValue(name, sources));
  return isLocked ? { ...status, lockedValue: true } : status;
}

/** What a change asks of the running process: nothing, to read the value anew, or to start anew. */
export type FeatureEffect = "none" | "apply" | "restart";

/**
 * What a change of a Feature asks of the running process; undefined stands for an object that is not there. A changed default in
 * the object asks for nothing: a process keeps the defaults it started with (rancher: pkg/features, RequireRestarts).
 */
export function effectOfChange(
  name: FeatureName,
  before: Feature | undefined,
  after: Feature | undefined,
  defaults: FeatureDefaults,
): FeatureEffect {
  const value = (object: Feature | undefined): boolean => featureValue(name, { defaults, object });
  if (value(before) === value(after)) return "none";
  return features[name].dynamic ? "apply" : "restart";
}

/** Why a change of a Feature is refused, as one sentence; undefined if it is allowed (webhook: feature validator). */
export function featureProblem(before: Feature, after: Feature): string | undefined {
  const locked = before.status?.lockedValue ?? undefined;
  const value = after.spec?.value ?? undefined;
  if (locked === undefined || value === undefined || value === locked) return undefined;
  if (value === before.spec?.value) return undefined; // was there before the lock
  return `spec.value of feature ${after.metadata.name} is locked to ${locked}`;
}

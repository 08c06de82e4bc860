import type { Feature } from "@drover/crds";
import { type FeatureDefaults, isFeatureName, newFeature, repairedFeature } from "@drover/platform";
import { type Context, done, isAlreadyExists, type Result } from "kopf-ts";

/** Keeps what the server says of a feature, and locks what locks on. */
export async function keep(
  feature: Feature,
  { client, log }: Context,
  defaults: FeatureDefaults,
): Promise<Result> {
  const wanted = repairedFeature(feature, defaults);
  if (wanted === undefined) return done;

  const { resourceVersion } = feature.metadata; // decided on this one
  const { status } = wanted;
  await client.patch(feature, { merge: { metadata: { resourceVersion }, status } });
  log.info("repaired feature", { locked: status?.lockedValue });
  return done;
}

/** A built-in Feature comes back, with nothing chosen. */
export async function recreate(
  name: string,
  { client, log }: Context,
  defaults: FeatureDefaults,
): Promise<Result> {
  if (!isFeatureName(name)) return done;

  try {
    await client.create(newFeature(name, defaults));
    log.info("made a deleted feature again");
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  return done;
}

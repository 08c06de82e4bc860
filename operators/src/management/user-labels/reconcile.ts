import { Setting, type User, UserAttribute } from "@drover/crds";
import { type Environment, liveSettings, retentionRules, retentionTimes } from "@drover/platform";
import { type Context, done, isNotFound, type Result } from "kopf-ts";
import { labelChanges, retentionLabels } from "./desired.ts";

/** Writes the labels that differ. The version goes along: a user that changed meanwhile, or is another one, is a conflict, and looked at anew. */
export async function label(user: User, context: Context, env: Environment): Promise<Result> {
  const { cache, client } = context;
  const { apiVersion, kind, metadata } = user;
  const { name, resourceVersion } = metadata;
  const rules = retentionRules(liveSettings(cache(Setting), env));
  const times = retentionTimes(user, cache(UserAttribute).get(name), rules);

  const labels = labelChanges(user, retentionLabels(times));
  if (labels === undefined) return done;
  try {
    await client.patch(
      { apiVersion, kind, metadata: { name } },
      { merge: { metadata: { resourceVersion, labels } } },
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return done;
}

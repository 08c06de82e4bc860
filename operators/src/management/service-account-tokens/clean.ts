import { Feature } from "@drover/crds";
import { accountLabel, type FeatureDefaults, featureValue } from "@drover/platform";
import { isConflict, type TaskContext } from "kopf-ts";
import { Secret, ServiceAccount } from "kopf-ts/kinds";
import { sort } from "./desired.ts";
import { featureName, impersonationNamespace } from "./names.ts";

/** When passes begin, and how much each does (rancher: pkg/serviceaccounttoken/secret_cleaner.go). */
export interface CleaningOptions {
  readonly defaults: FeatureDefaults;
  /** Milliseconds until the first pass; 5,000 unless told. */
  readonly first?: number;
  /** Milliseconds from the end of a pass to the next one; 60,000 unless told. */
  readonly pause?: number;
  /** Secrets that one pass deletes at most; 1,000 unless told. */
  readonly batch?: number;
  /** `cattle-impersonation-system` unless told. */
  readonly namespace?: string;
}

/** Deletes token Secrets that no ServiceAccount refers to, pass by pass, until a pass finds none. */
export async function clean(options: CleaningOptions, context: TaskContext): Promise<void> {
  const { client, clock, log, signal } = context;
  const { defaults, first = 5_000, pause = 60_000 } = options;
  const object = await client.find(Feature, featureName, { signal });
  if (!featureValue(featureName, { defaults, object })) return;

  await clock.sleep(first, signal);
  for (let total = 0; ; await clock.sleep(pause, signal)) {
    const { deleted, left } = await pass(options, context);
    total += deleted;
    if (deleted > 0) log.info("deleted stale service account tokens", { deleted, left });
    if (deleted + left === 0) return log.debug("no stale service account token left", { total });
  }
}

/** How many it deleted, and how many more there are, or may be soon. */
async function pass(
  { batch = 1_000, namespace = impersonationNamespace }: CleaningOptions,
  context: TaskContext,
): Promise<{ readonly deleted: number; readonly left: number }> {
  const { client, clock, signal } = context;
  let [deleted, left] = [0, 0];
  const selection = { namespace, labelSelector: accountLabel, limit: batch, signal };
  for await (const { items } of client.pages(Secret, selection)) {
    // After the Secrets: one that was referred to meanwhile is seen to be.
    const accounts = await client.list(ServiceAccount, { namespace, signal });
    const { stale, young } = sort(items, accounts.items, clock.now());
    left += stale.length + young.length;
    for (const secret of stale.slice(0, batch - deleted)) {
      if (!(await remove(secret, context))) continue;
      deleted += 1;
      left -= 1;
    }
    if (deleted === batch) return { deleted, left: left + 1 };
  }
  return { deleted, left };
}

/** False when it changed since it was listed (a delete carries uid and resourceVersion): the next pass looks again. */
async function remove(secret: Secret, { client, signal }: TaskContext): Promise<boolean> {
  try {
    await client.delete(secret, { signal });
    return true;
  } catch (error) {
    if (!isConflict(error)) throw error;
    return false;
  }
}

/** What every replica brings about before its caches start. */

import { Feature, installCrds, kinds } from "@drover/crds";
import type { Environment, FeatureDefaults } from "@drover/platform";
import type { Kind, TaskContext } from "kopf-ts";
import { ensureFeatures } from "./features.ts";
import { ensureNamespaces } from "./namespaces.ts";
import { ensureSettings } from "./settings.ts";

/** What preparing needs to know. */
export interface PrepareOptions {
  readonly env: Environment;
  /** Defaults of the features in this process. */
  readonly features: FeatureDefaults;
}

/**
 * Makes, in this order: our namespaces, the CRD of features, the features with the other CRDs, the settings (rancher: pkg/rancher). Each step
 * reads before it writes, so that a second run writes nothing; any number of replicas may run it at once, and again after it failed anywhere.
 * The API server takes two seconds for the first object of a new CRD, in which the other CRDs are made: they do not depend on features here.
 */
export function prepare({
  env,
  features,
}: PrepareOptions): (context: TaskContext) => Promise<void> {
  return async (context) => {
    await ensureNamespaces(context);
    await install(context, [Feature]);
    await all([ensureFeatures(context, features), install(context, otherKinds)]);
    await ensureSettings(context, env);
  };
}

const otherKinds = kinds.filter((kind) => kind !== Feature);

/** Ends when all have ended, so that no other attempt begins beside them; rejects with the first error. */
async function all(steps: readonly Promise<void>[]): Promise<void> {
  const [failure] = (await Promise.allSettled(steps)).filter(({ status }) => status === "rejected");
  if (failure?.status === "rejected") throw failure.reason;
}

async function install({ client, log, signal }: TaskContext, only: readonly Kind[]): Promise<void> {
  const installed = await installCrds(client, { only, log, signal });
  const changed = installed.filter(({ action }) => action !== "unchanged").length;
  if (changed > 0) log.info("CRDs are served", { total: installed.length, changed });
}

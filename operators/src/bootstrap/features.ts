import { Feature } from "@drover/crds";
import { desiredFeatures, type FeatureDefaults } from "@drover/platform";
import type { TaskContext } from "kopf-ts";
import { bringAbout } from "./write.ts";

/** Makes missing Features and refreshes what the server says of the others. */
export async function ensureFeatures(
  context: TaskContext,
  defaults: FeatureDefaults,
): Promise<void> {
  const { client, log, signal } = context;
  const changed = await bringAbout(context, async () => {
    const { items } = await client.list(Feature, { signal });
    return desiredFeatures(items, defaults);
  });
  if (changed > 0) log.info("features are initialised", { changed });
}

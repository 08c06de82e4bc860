/** Removes bindings that grant what an older one grants already (rancher: crtb_handler.go, deleteDuplicateCRTBs). */

import { ClusterRoleTemplateBinding } from "@drover/crds";
import { type Context, isConflict } from "kopf-ts";
import { contentOf, keeperOf } from "./desired.ts";
import { bindingIndexes, reasons } from "./names.ts";

/**
 * Whether the binding was one of them. The one that stays is looked up live before any other is deleted, so that a cache that lags never costs the last one.
 */
export async function dropDuplicates(
  binding: ClusterRoleTemplateBinding,
  { cache, client, events }: Context,
): Promise<boolean> {
  const content = contentOf(binding);
  const same = cache(ClusterRoleTemplateBinding)
    .byIndex(bindingIndexes.content, content)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const keeper = keeperOf(same);
  if (same.length < 2 || keeper === undefined) return false;

  const { name, namespace } = keeper.metadata;
  const live = await client.find(ClusterRoleTemplateBinding, name, { namespace });
  const stays =
    live !== undefined &&
    live.metadata.deletionTimestamp === undefined &&
    contentOf(live) === content;
  if (!stays) return false; // the cache is about to show it, which leads to another run
  for (const each of same.filter(({ metadata }) => metadata.name !== name)) {
    await client.delete(each).catch((error: unknown) => {
      if (!isConflict(error)) throw error; // it changed, and is looked at again
    });
    const message = `${each.metadata.name} granted the very same as ${name}, which is older, and was deleted`;
    events.event(
      { type: "Normal", reason: reasons.duplicate, action: "Reconcile", message },
      keeper,
    );
  }
  return binding.metadata.name !== name;
}

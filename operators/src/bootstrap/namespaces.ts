import type { TaskContext } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";
import {
  earlyNamespaces,
  missingLabels,
  newNamespace,
} from "../management/system-namespaces/desired.ts";
import { bringAbout, type Changes } from "./write.ts";

/**
 * Makes our namespaces, all but the marker, and gives them their labels. One that is being deleted is left alone: the concern system-namespaces
 * makes it again once it is gone.
 */
export async function ensureNamespaces(context: TaskContext): Promise<void> {
  const created = await bringAbout(context, () => look(context));
  if (created > 0) context.log.info("system namespaces are made", { changed: created });
}

async function look({ client, signal }: TaskContext): Promise<Changes> {
  const found = await Promise.all(
    earlyNamespaces.map((name) => client.find(Namespace, name, { signal })),
  );
  return {
    create: earlyNamespaces.filter((_, at) => found[at] === undefined).map(newNamespace),
    update: found.flatMap((namespace) => relabelled(namespace) ?? []),
  };
}

function relabelled(namespace: Namespace | undefined): Namespace | undefined {
  if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined)
    return undefined;
  const labels = missingLabels(namespace);
  if (labels === undefined) return undefined;
  const metadata = { ...namespace.metadata, labels: { ...namespace.metadata.labels, ...labels } };
  return { ...namespace, metadata };
}

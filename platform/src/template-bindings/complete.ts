import { type RoleTemplateSubjects, roleTemplateLabels } from "@drover/crds";
import type { Client, KubeObject } from "kopf-ts";

/**
 * One write for all that is missing in a role template binding, in the very version that was looked at: fields of its subject, and the label that says that the
 * aggregated model has it. Answers the binding as it then is; the very same one when nothing is missing.
 */
export async function completeBinding<T extends KubeObject>(
  binding: T,
  fields: Pick<RoleTemplateSubjects, "userName" | "userPrincipalName">,
  client: Client,
): Promise<T> {
  const { resourceVersion, labels } = binding.metadata;
  const isLabelled = labels?.[roleTemplateLabels.aggregation] === "true";
  if (isLabelled && Object.keys(fields).length === 0) return binding;
  const label = isLabelled ? {} : { labels: { [roleTemplateLabels.aggregation]: "true" } };
  return client.patch<T>(binding, {
    merge: { ...fields, metadata: { resourceVersion, ...label } },
  });
}

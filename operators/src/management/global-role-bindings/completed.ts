/** What a GlobalRoleBinding says of itself once its controller has seen it. Pure. */

import {
  annotations,
  GlobalRole,
  type GlobalRoleBinding,
  globalRoleBindingNames,
} from "@drover/crds";
import { apiVersionOf } from "kopf-ts";

/**
 * The merge patch that fills in what is missing, undefined when nothing is: fields of the subject, the name of the ClusterRoleBinding, and the owner
 * reference by which the binding goes with its GlobalRole (a webhook sets it on what people create; webhook: pkg/resources/management.cattle.io/v3).
 */
export function completed(
  binding: GlobalRoleBinding,
  fields: Pick<GlobalRoleBinding, "userName" | "userPrincipalName">,
  role: GlobalRole | undefined,
): Readonly<Record<string, unknown>> | undefined {
  const { name, annotations: noted } = binding.metadata;
  const recorded = globalRoleBindingNames.clusterRoleBinding(name);
  const metadata = {
    ...(noted?.[annotations.clusterRoleBindingName] !== recorded && {
      annotations: { [annotations.clusterRoleBindingName]: recorded },
    }),
    ...(role !== undefined &&
      isUnowned(binding, role) && { ownerReferences: owners(binding, role) }),
  };
  if (Object.keys(fields).length === 0 && Object.keys(metadata).length === 0) return undefined;
  const { resourceVersion } = binding.metadata;
  return { ...fields, metadata: { ...metadata, resourceVersion } };
}

/** A role on its way out gets no new dependents: who deletes it and lets its bindings stay has their references removed right now. */
function isUnowned({ metadata }: GlobalRoleBinding, { metadata: role }: GlobalRole): boolean {
  if (role.deletionTimestamp !== undefined) return false;
  return metadata.ownerReferences?.some(({ uid }) => uid === role.uid) !== true;
}

/** A role that was deleted and made anew has another uid; a reference to the old one would take the binding along. */
function owners({ metadata }: GlobalRoleBinding, { metadata: { name, uid } }: GlobalRole): unknown {
  const others = metadata.ownerReferences?.filter(
    (each) => each.kind !== GlobalRole.kind || each.name !== name,
  );
  return [
    ...(others ?? []),
    { apiVersion: apiVersionOf(GlobalRole), kind: GlobalRole.kind, name, uid },
  ];
}

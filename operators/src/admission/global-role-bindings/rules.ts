/** What a GlobalRoleBinding may change, and what it gets. */

import { GlobalRole, type GlobalRoleBinding } from "@drover/crds";
import { apiVersionOf, type OwnerReference } from "kopf-ts";
import { immutableProblem } from "../immutable.ts";
import type { Problem } from "../verdicts.ts";

/** What is wrong with a change. */
export function changeProblem(before: GlobalRoleBinding, after: GlobalRoleBinding): Problem {
  return immutableProblem(before, after, [
    "userName",
    "userPrincipalName",
    "groupPrincipalName",
    "globalRoleName",
  ]);
}

/** The binding as a dependent of its role, so that it goes with it (webhook: globalrolebinding/mutator.go); undefined when it is one already. */
export function owned(binding: GlobalRoleBinding, role: GlobalRole): GlobalRoleBinding | undefined {
  const { ownerReferences = [] } = binding.metadata;
  const { name, uid = "" } = role.metadata;
  if (ownerReferences.some((reference) => reference.uid === uid)) return undefined;

  const reference: OwnerReference = {
    apiVersion: apiVersionOf(GlobalRole),
    kind: GlobalRole.kind,
    name,
    uid,
  };
  const metadata = { ...binding.metadata, ownerReferences: [...ownerReferences, reference] };
  return { ...binding, metadata };
}

import { labels } from "@drover/crds";
import type { Kind, KubeObject } from "kopf-ts";
import { allow, type Validator } from "kopf-ts/admission";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "kopf-ts/kinds";
import { labelProblem } from "../immutable.ts";
import { isTerminating, notTerminating } from "../terminating.ts";
import { unless } from "../verdicts.ts";

/** Keep the label by which the roles and bindings of global roles find their owner (webhook: pkg/resources/rbac.authorization.k8s.io). */
export const rbacObjectValidators: readonly Validator[] = [
  ownerLabelOf(Role, labels.globalRoleOwner),
  ownerLabelOf(ClusterRole, labels.globalRoleOwner),
  ownerLabelOf(RoleBinding, labels.globalRoleBindingOwner),
  ownerLabelOf(ClusterRoleBinding, labels.globalRoleBindingOwner),
];

/** Only objects that have or get the label are asked about: writes of all others never wait for us. */
function ownerLabelOf<T extends KubeObject>(kind: Kind<T>, label: string): Validator {
  return {
    kind,
    rules: [
      {
        operations: ["UPDATE"],
        objectSelector: { matchExpressions: [{ key: label, operator: "Exists" }] },
        matchConditions: [notTerminating],
      },
    ],
    validate: ({ operation, object, oldObject }) => {
      if (operation !== "UPDATE" || isTerminating(object)) return allow();
      return unless(labelProblem(oldObject, object, label), 400);
    },
  };
}

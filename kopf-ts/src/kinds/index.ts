export {
  type MutatingWebhook,
  MutatingWebhookConfiguration,
  type RuleWithOperations,
  type ValidatingWebhook,
  ValidatingWebhookConfiguration,
  type WebhookClientConfig,
} from "./admission-registration.ts";
export { type ResourceAttributes, SubjectAccessReview } from "./authorization.ts";
export { ConfigMap, Namespace, Secret, ServiceAccount } from "./core.ts";
export {
  ClusterRole,
  ClusterRoleBinding,
  type PolicyRule,
  Role,
  RoleBinding,
  type RoleRef,
  type Subject,
} from "./rbac.ts";
export type { LabelSelector } from "./selector.ts";

export {
  type MutatingWebhook,
  MutatingWebhookConfiguration,
  type RuleWithOperations,
  type ValidatingWebhook,
  ValidatingWebhookConfiguration,
  type WebhookClientConfig,
} from "./admission-registration.ts";
export { DaemonSet, Deployment } from "./apps.ts";
export { type ResourceAttributes, SubjectAccessReview } from "./authorization.ts";
export { ConfigMap, Namespace, Secret, ServiceAccount } from "./core.ts";
export {
  NetworkPolicy,
  type NetworkPolicyPeer,
  type NetworkPolicyPort,
  type NetworkPolicySpec,
  Service,
  type ServicePort,
} from "./network.ts";
export {
  type Container,
  type ContainerPort,
  type ContainerResources,
  Node,
  Pod,
  type PodSpec,
  type PodTemplate,
  type Taint,
  type Toleration,
} from "./pods.ts";
export { LimitRange, type LimitRangeItem, type ResourceAmounts, ResourceQuota } from "./quota.ts";
export {
  ClusterRole,
  ClusterRoleBinding,
  type PolicyRule,
  Role,
  RoleBinding,
  type RoleRef,
  type Subject,
} from "./rbac.ts";
export { PodDisruptionBudget, PriorityClass } from "./scheduling.ts";
export type { LabelSelector } from "./selector.ts";

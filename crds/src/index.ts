export type { PolicyRule } from "kopf-ts/kinds";
export { AuthConfig } from "./auth/auth-config.ts";
export type { Principal } from "./auth/principal.ts";
export { SamlToken } from "./auth/saml-token.ts";
export { Token } from "./auth/token.ts";
export { User } from "./auth/user.ts";
export { type Principals, UserAttribute } from "./auth/user-attribute.ts";
export { base32, base32Hex } from "./base32.ts";
export {
  agentConditions,
  agentNames,
  needsAgent,
  systemAccountNames,
} from "./cluster/agent-names.ts";
export {
  type AgentDeploymentCustomization,
  Cluster,
  type ClusterComponentStatus,
  type ClusterInfo,
  type ClusterSpec,
  type ClusterStatus,
  type EnvVar,
  type ImportedConfig,
  type LocalClusterAuthEndpoint,
  type Toleration,
  type VersionInfo,
} from "./cluster/cluster.ts";
export { ClusterProxyConfig } from "./cluster/cluster-proxy-config.ts";
export {
  ClusterRegistrationToken,
  type ClusterRegistrationTokenSpec,
  type ClusterRegistrationTokenStatus,
} from "./cluster/cluster-registration-token.ts";
export { FleetWorkspace } from "./cluster/fleet-workspace.ts";
export {
  type MapDelta,
  type MetadataUpdate,
  Node,
  type NodeSpec,
  type NodeStatus,
  type Taint,
} from "./cluster/node.ts";
export { nodeNames } from "./cluster/node-names.ts";
export {
  PodSecurityAdmissionConfigurationTemplate,
  type PodSecurityDefaults,
  type PodSecurityExemptions,
} from "./cluster/pod-security-template.ts";
export { registrationTokenNames } from "./cluster/registration-token-names.ts";
export {
  CrdError,
  type InstalledCrd,
  type InstallOptions,
  installCrds,
} from "./install/install.ts";
export { manifestFile } from "./install/manifest.ts";
export { kinds } from "./kinds.ts";
export type { MetaCondition, NormanCondition, Opaque, ResourceList } from "./management.ts";
export {
  annotations,
  clusterInFinalizer,
  clusterInFinalizers,
  clusterLifecycleNames,
  dataNamespace,
  isClusterFinalizer,
  isObjectName,
  type LifecycleNames,
  labels,
  lifecycleNames,
  localClusterName,
  localWorkspaceName,
  safeConcatName,
  systemNamespace,
  wranglerFinalizer,
} from "./names.ts";
export {
  defaultQuotaLabel,
  namespaceAnnotations,
  namespaceConditionTypes,
} from "./project/namespace-names.ts";
export {
  type NamespaceCondition,
  type NamespaceConditionUpdate,
  namespaceConditions,
  namespaceStatus,
  withoutNamespaceConditions,
} from "./project/namespace-status.ts";
export {
  type ContainerResourceLimit,
  type NamespaceResourceQuota,
  Project,
  type ProjectResourceQuota,
  type ProjectSpec,
  type ProjectStatus,
  type ResourceQuotaLimit,
} from "./project/project.ts";
export { type ProjectId, parseProjectId, projectIdOf, projectKeyOf } from "./project/project-id.ts";
export {
  backingNamespaceOf,
  idOfProject,
  isHomeOf,
  projectFinalizer,
  projectNames,
  projectNamespacesAnnotation,
  projectOwnerKey,
} from "./project/project-names.ts";
export { ProjectNetworkPolicy } from "./project/project-network-policy.ts";
export { projectSecretAnnotations, projectSecretLabels } from "./project/secret-names.ts";
export { formatQuantity, parseQuantity, sumQuantities } from "./quantity/quantity.ts";
export { clustersOfClusterBinding, clustersOfProjectBinding } from "./rbac/binding-clusters.ts";
export type { BindingStatus } from "./rbac/binding-status.ts";
export { ClusterRoleTemplateBinding } from "./rbac/cluster-role-template-binding.ts";
export {
  type CreatorRoles,
  creatorBindingName,
  creatorRolesOf,
  creatorSubject,
} from "./rbac/creator-names.ts";
export { GlobalRole, type GlobalRoleStatus } from "./rbac/global-role.ts";
export { GlobalRoleBinding } from "./rbac/global-role-binding.ts";
export {
  clusterRolesOfGlobalRole,
  globalRoleBindingNames,
  globalRoleNames,
} from "./rbac/global-role-names.ts";
export { globalRoleSubject } from "./rbac/global-role-subject.ts";
export {
  impersonatedUser,
  impersonationNamespace,
  impersonatorLabel,
  impersonatorName,
} from "./rbac/impersonation-names.ts";
export { ProjectRoleTemplateBinding } from "./rbac/project-role-template-binding.ts";
export { RoleTemplate } from "./rbac/role-template.ts";
export {
  clusterBindingOwnerKey,
  clusterRoleBindingName,
  clusterRolesOf,
  createNamespacesTemplate,
  legacyMembershipValues,
  membershipKey,
  membershipRoles,
  namespaceRoles,
  projectBindingOwnerKey,
  roleBindingName,
  roleTemplateLabels,
  roleTemplateNames,
  tokenReaderRole,
} from "./rbac/role-template-names.ts";
export {
  type RoleTemplateSubjects,
  roleTemplateSubject,
  type SubjectFault,
} from "./rbac/role-template-subject.ts";
export { covers, coversInSteps, type Uncovered } from "./rules/covers.ts";
export {
  CircularInheritanceError,
  MissingClusterRoleError,
  MissingRoleTemplateError,
  RulesTooLargeError,
} from "./rules/errors.ts";
export { type RuleFaultOptions, ruleFaults, ruleText } from "./rules/faults.ts";
export { flatten, type RuleSources } from "./rules/flatten.ts";
export {
  type FindTemplate,
  type Inheritance,
  inheritanceOf,
  inheritorsOf,
  reaches,
} from "./rules/inheritance.ts";
export { storedRules } from "./rules/stored-rules.ts";
export {
  allowsCreatingNamespaces,
  allowsPodSecurity,
  allowsRegistrationTokens,
  type ManagementPlane,
  makesOwner,
  managementRules,
  promotedRules,
} from "./rules/template-rules.ts";
export { Feature, type FeatureStatus } from "./server/feature.ts";
export { Preference } from "./server/preference.ts";
export { Setting } from "./server/setting.ts";

export { inheritingTemplates, inheritsIndex } from "./affected.ts";
export {
  clusterMembership,
  clusterRoleRef,
  managementClaimant,
  managementCluster,
  onManagementPlane,
  roleRef,
  sharedClusterRoleBinding,
  sharedRoleBinding,
} from "./bindings.ts";
export { completeBinding } from "./complete.ts";
export { type Granted, grantedRules, roleOf } from "./granted.ts";
export { downstreamLegacyIndex, downstreamLegacyOf, legacyOf } from "./legacy.ts";
export { confirmed, isOpenIn, type Lookup } from "./lookup.ts";
export { bindingSources } from "./sources.ts";
export {
  type Naming,
  type Obstacle,
  type ResolvedSubject,
  resolveTemplateSubject,
  type SubjectSources,
} from "./subject.ts";

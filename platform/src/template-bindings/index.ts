export { affectedTemplates, inheritsIndex, templatesOf } from "./affected.ts";
export {
  clusterRoleRef,
  managementClaimant,
  managementCluster,
  onManagementPlane,
  roleRef,
  sharedClusterRoleBinding,
  sharedRoleBinding,
} from "./bindings.ts";
export { type Granted, grantedRules, roleOf } from "./granted.ts";
export { legacyIndex } from "./legacy.ts";
export {
  type Naming,
  type Obstacle,
  type ResolvedSubject,
  resolveTemplateSubject,
  type SubjectSources,
} from "./subject.ts";

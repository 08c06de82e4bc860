import type { PolicyRule } from "kopf-ts/kinds";
import type { BindingStatus } from "../../rbac/binding-status.ts";
import type { ClusterRoleTemplateBinding } from "../../rbac/cluster-role-template-binding.ts";
import type { GlobalRole } from "../../rbac/global-role.ts";
import type { GlobalRoleBinding } from "../../rbac/global-role-binding.ts";
import type { ProjectRoleTemplateBinding } from "../../rbac/project-role-template-binding.ts";
import type { RoleTemplate } from "../../rbac/role-template.ts";
import type { AnyShape, Body, Shape } from "../shape.ts";
import { metaCondition } from "./conditions.ts";

const policyRule: Shape<PolicyRule> = {
  verbs: ["string"],
  "apiGroups?": ["string"],
  "resources?": ["string"],
  "resourceNames?": ["string"],
  "nonResourceURLs?": ["string"],
};

const roleTemplate: Body<RoleTemplate> = {
  "displayName?": "string",
  "description?": "string",
  "context?": "string",
  "rules?": [policyRule],
  "roleTemplateNames?": ["string"],
  "external?": "boolean",
  "externalRules?": [policyRule],
  "builtin?": "boolean",
  "hidden?": "boolean",
  "locked?": "boolean",
  "clusterCreatorDefault?": "boolean",
  "projectCreatorDefault?": "boolean",
  "administrative?": "boolean",
};

const bindingStatus: Shape<BindingStatus> = {
  "observedGenerationLocal?": "integer",
  "observedGenerationRemote?": "integer",
  "lastUpdateTime?": "string",
  "summary?": "string",
  "summaryLocal?": "string",
  "summaryRemote?": "string",
  "localConditions?": [metaCondition],
  "remoteConditions?": [metaCondition],
};

const clusterRoleTemplateBinding: Body<ClusterRoleTemplateBinding> = {
  "userName?": "string",
  "userPrincipalName?": "string",
  "groupName?": "string",
  "groupPrincipalName?": "string",
  clusterName: "string",
  roleTemplateName: "string",
  "status?": bindingStatus,
};

const projectRoleTemplateBinding: Body<ProjectRoleTemplateBinding> = {
  "userName?": "string",
  "userPrincipalName?": "string",
  "groupName?": "string",
  "groupPrincipalName?": "string",
  projectName: "string",
  roleTemplateName: "string",
  "serviceAccount?": "string",
};

const globalRole: Body<GlobalRole> = {
  "displayName?": "string",
  "description?": "string",
  "rules?": [policyRule],
  "namespacedRules?": { "*": [policyRule] },
  "inheritedClusterRoles?": ["string"],
  "inheritedNamespacedRules?": { "*": [policyRule] },
  "inheritedFleetWorkspacePermissions?": {
    "resourceRules?": [policyRule],
    "workspaceVerbs?": ["string"],
  },
  "newUserDefault?": "boolean",
  "builtin?": "boolean",
  "status?": {
    "observedGeneration?": "integer",
    "lastUpdateTime?": "string",
    "summary?": "string",
    "conditions?": [metaCondition],
  },
};

const globalRoleBinding: Body<GlobalRoleBinding> = {
  "userName?": "string",
  "userPrincipalName?": "string",
  "groupPrincipalName?": "string",
  globalRoleName: "string",
  "status?": bindingStatus,
};

/** Shapes of the kinds in rbac/. */
export const rbacShapes: Readonly<Record<string, AnyShape>> = {
  RoleTemplate: roleTemplate,
  ClusterRoleTemplateBinding: clusterRoleTemplateBinding,
  ProjectRoleTemplateBinding: projectRoleTemplateBinding,
  GlobalRole: globalRole,
  GlobalRoleBinding: globalRoleBinding,
};

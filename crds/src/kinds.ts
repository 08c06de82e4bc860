import type { Kind } from "kopf-ts";
import { AuthConfig } from "./auth/auth-config.ts";
import { SamlToken } from "./auth/saml-token.ts";
import { Token } from "./auth/token.ts";
import { User } from "./auth/user.ts";
import { UserAttribute } from "./auth/user-attribute.ts";
import { Cluster } from "./cluster/cluster.ts";
import { ClusterProxyConfig } from "./cluster/cluster-proxy-config.ts";
import { ClusterRegistrationToken } from "./cluster/cluster-registration-token.ts";
import { FleetWorkspace } from "./cluster/fleet-workspace.ts";
import { Node } from "./cluster/node.ts";
import { PodSecurityAdmissionConfigurationTemplate } from "./cluster/pod-security-template.ts";
import { Project } from "./project/project.ts";
import { ProjectNetworkPolicy } from "./project/project-network-policy.ts";
import { ClusterRoleTemplateBinding } from "./rbac/cluster-role-template-binding.ts";
import { GlobalRole } from "./rbac/global-role.ts";
import { GlobalRoleBinding } from "./rbac/global-role-binding.ts";
import { ProjectRoleTemplateBinding } from "./rbac/project-role-template-binding.ts";
import { RoleTemplate } from "./rbac/role-template.ts";
import { Feature } from "./server/feature.ts";
import { Preference } from "./server/preference.ts";
import { Setting } from "./server/setting.ts";

/** Every kind that has a CRD in this package, by topic. */
export const kinds: readonly Kind[] = [
  Feature,
  Setting,
  Preference,
  Cluster,
  ClusterRegistrationToken,
  ClusterProxyConfig,
  Node,
  FleetWorkspace,
  PodSecurityAdmissionConfigurationTemplate,
  Project,
  ProjectNetworkPolicy,
  RoleTemplate,
  ClusterRoleTemplateBinding,
  ProjectRoleTemplateBinding,
  GlobalRole,
  GlobalRoleBinding,
  User,
  UserAttribute,
  Token,
  SamlToken,
  AuthConfig,
];

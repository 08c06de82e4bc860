/** Objects for tests: complete enough to be accepted, with a name of their own, changed by what a test cares about. */

import { randomInt } from "node:crypto";
import { apiVersionOf, type Kind, type KubeObject, type ObjectMeta } from "kopf-ts";
import { AuthConfig } from "../auth/auth-config.ts";
import { SamlToken } from "../auth/saml-token.ts";
import { Token } from "../auth/token.ts";
import { User } from "../auth/user.ts";
import { UserAttribute } from "../auth/user-attribute.ts";
import { Cluster } from "../cluster/cluster.ts";
import { ClusterProxyConfig } from "../cluster/cluster-proxy-config.ts";
import { ClusterRegistrationToken } from "../cluster/cluster-registration-token.ts";
import { FleetWorkspace } from "../cluster/fleet-workspace.ts";
import { Node } from "../cluster/node.ts";
import { PodSecurityAdmissionConfigurationTemplate } from "../cluster/pod-security-template.ts";
import { labels } from "../names.ts";
import { Project } from "../project/project.ts";
import { ProjectNetworkPolicy } from "../project/project-network-policy.ts";
import { ClusterRoleTemplateBinding } from "../rbac/cluster-role-template-binding.ts";
import { GlobalRole } from "../rbac/global-role.ts";
import { GlobalRoleBinding } from "../rbac/global-role-binding.ts";
import { ProjectRoleTemplateBinding } from "../rbac/project-role-template-binding.ts";
import { RoleTemplate } from "../rbac/role-template.ts";
import { Feature } from "../server/feature.ts";
import { Preference } from "../server/preference.ts";
import { Setting } from "../server/setting.ts";

/** What a test sets itself; fields replace the fixture's, metadata is merged. */
export type Overrides<T extends KubeObject> = Partial<Omit<T, keyof KubeObject>> & {
  readonly metadata?: Partial<ObjectMeta>;
};

const cluster = "c-abcde";
const user = "user-abcde";

/** A login token of an hour; namespaces and names that fixtures refer to are `c-abcde`, `p-abcde` and `user-abcde`. */
export function aToken(overrides?: Overrides<Token>): Token {
  const metadata = { labels: { [labels.tokenUserId]: user, [labels.tokenKind]: "session" } };
  const defaults = { metadata, userId: user, authProvider: "local", ttl: 3_600_000 };
  return make(Token, "token", defaults, overrides);
}

/** A SAML token of now. */
export function aSamlToken(overrides?: Overrides<SamlToken>): SamlToken {
  const metadata = { namespace: "cattle-global-data" };
  return make(SamlToken, "saml", { metadata, token: "encrypted" }, overrides);
}

/** A person with a local login. */
export function aUser(overrides?: Overrides<User>): User {
  return make(
    User,
    "user",
    { displayName: "Ada", username: unique("ada"), enabled: true },
    overrides,
  );
}

/** What is known of a person; the name is to be that of its User. */
export function aUserAttribute(overrides?: Overrides<UserAttribute>): UserAttribute {
  return make(UserAttribute, "user", { UserName: user, NeedsRefresh: false }, overrides);
}

/** The local authentication provider. */
export function anAuthConfig(overrides?: Overrides<AuthConfig>): AuthConfig {
  const defaults = { type: "localConfig", enabled: true, accessMode: "unrestricted" };
  return make(AuthConfig, "local", defaults, overrides);
}

/** A cluster nothing is known of yet. */
export function aCluster(overrides?: Overrides<Cluster>): Cluster {
  return make(Cluster, "c", { spec: { displayName: "production" } }, overrides);
}

/** A registration token that follows the settings. */
export function aClusterRegistrationToken(
  overrides?: Overrides<ClusterRegistrationToken>,
): ClusterRegistrationToken {
  const defaults = { metadata: { namespace: cluster }, spec: { clusterName: cluster } };
  return make(ClusterRegistrationToken, "crt", defaults, overrides);
}

/** Service account tokens may pass. */
export function aClusterProxyConfig(overrides?: Overrides<ClusterProxyConfig>): ClusterProxyConfig {
  const defaults = { metadata: { namespace: cluster }, enabled: true };
  return make(ClusterProxyConfig, "proxy", defaults, overrides);
}

/** A worker. */
export function aNode(overrides?: Overrides<Node>): Node {
  const defaults = {
    metadata: { namespace: cluster },
    spec: { worker: true, imported: true },
    status: { nodeName: "worker-1" },
  };
  return make(Node, "machine", defaults, overrides);
}

/** An empty workspace. */
export function aFleetWorkspace(overrides?: Overrides<FleetWorkspace>): FleetWorkspace {
  return make(FleetWorkspace, "fleet", {}, overrides);
}

/** A preset that enforces `baseline`. */
export function aPodSecurityTemplate(
  overrides?: Overrides<PodSecurityAdmissionConfigurationTemplate>,
): PodSecurityAdmissionConfigurationTemplate {
  const defaults = {
    configuration: { defaults: { enforce: "baseline", "enforce-version": "latest" } },
  };
  return make(PodSecurityAdmissionConfigurationTemplate, "preset", defaults, overrides);
}

/** A project without quota. */
export function aProject(overrides?: Overrides<Project>): Project {
  const defaults = {
    metadata: { namespace: cluster },
    spec: { displayName: "Payments", clusterName: cluster },
  };
  return make(Project, "p", defaults, overrides);
}

/** The isolation of a project. */
export function aProjectNetworkPolicy(
  overrides?: Overrides<ProjectNetworkPolicy>,
): ProjectNetworkPolicy {
  const defaults = {
    metadata: { namespace: `${cluster}-p-abcde` },
    spec: { projectName: `${cluster}:p-abcde` },
  };
  return make(ProjectNetworkPolicy, "pnp", defaults, overrides);
}

/** A role template of context cluster that may read nodes. */
export function aRoleTemplate(overrides?: Overrides<RoleTemplate>): RoleTemplate {
  const rules = [{ verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["nodes"] }];
  const defaults = { displayName: "Node viewer", context: "cluster", rules } as const;
  return make(RoleTemplate, "rt", defaults, overrides);
}

/** A person in a cluster. */
export function aClusterRoleTemplateBinding(
  overrides?: Overrides<ClusterRoleTemplateBinding>,
): ClusterRoleTemplateBinding {
  const defaults = {
    metadata: { namespace: cluster },
    userName: user,
    clusterName: cluster,
    roleTemplateName: "cluster-member",
  };
  return make(ClusterRoleTemplateBinding, "crtb", defaults, overrides);
}

/** A person in a project. */
export function aProjectRoleTemplateBinding(
  overrides?: Overrides<ProjectRoleTemplateBinding>,
): ProjectRoleTemplateBinding {
  const defaults = {
    metadata: { namespace: `${cluster}-p-abcde` },
    userName: user,
    projectName: `${cluster}:p-abcde`,
    roleTemplateName: "project-member",
  };
  return make(ProjectRoleTemplateBinding, "prtb", defaults, overrides);
}

/** A global role that may read settings. */
export function aGlobalRole(overrides?: Overrides<GlobalRole>): GlobalRole {
  const rules = [{ verbs: ["get"], apiGroups: [Setting.group], resources: [Setting.plural] }];
  return make(GlobalRole, "gr", { displayName: "Setting viewer", rules }, overrides);
}

/** A person with the global role `user`. */
export function aGlobalRoleBinding(overrides?: Overrides<GlobalRoleBinding>): GlobalRoleBinding {
  return make(GlobalRoleBinding, "grb", { userName: user, globalRoleName: "user" }, overrides);
}

/** A setting that nobody changed. */
export function aSetting(overrides?: Overrides<Setting>): Setting {
  const defaults = { value: "", default: "on", customized: false, source: "default" };
  return make(Setting, "setting", defaults, overrides);
}

/** A feature that is off by default and takes effect at once. */
export function aFeature(overrides?: Overrides<Feature>): Feature {
  const defaults = { spec: { value: null }, status: { dynamic: true, default: false } };
  return make(Feature, "feature", defaults, overrides);
}

/** A preference of a user interface. */
export function aPreference(overrides?: Overrides<Preference>): Preference {
  return make(
    Preference,
    "preference",
    { metadata: { namespace: user }, value: "dark" },
    overrides,
  );
}

function make<T extends KubeObject>(
  kind: Kind<T>,
  prefix: string,
  defaults: Overrides<T>,
  overrides: Overrides<T> | undefined,
): T {
  const metadata = { name: unique(prefix), ...defaults.metadata, ...overrides?.metadata };
  const identity = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata };
  return { ...defaults, ...overrides, ...identity } as unknown as T;
}

/** One of 36^8, so that thousands may be made in one cluster: of 3,000 names with 8 hexadecimal digits two are the same once in a thousand times. */
function unique(prefix: string): string {
  return `${prefix}-${randomInt(36 ** 8)
    .toString(36)
    .padStart(8, "0")}`;
}

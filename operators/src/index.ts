/** Every concern of Drover, by where it runs. */

import type { Environment, FeatureDefaults } from "@drover/platform";
import type { AnyController, HealthChecks, Metrics, Task } from "kopf-ts";
import type { AnyWebhook } from "kopf-ts/admission";
import type { Members } from "kopf-ts/election";
import { admission } from "./admission/index.ts";
import type { AdminOptions } from "./bootstrap/admin/index.ts";
import { bootstrapData, bootstrapWait } from "./bootstrap/data.ts";
import { caValidation } from "./downstream/ca-validation/index.ts";
import { clusterAgent } from "./downstream/cluster-agent/index.ts";
import { clusterRoleTemplateBindings as clusterBindings } from "./downstream/cluster-role-template-bindings/index.ts";
import { clusterVersion } from "./downstream/cluster-version/index.ts";
import { containerLimits } from "./downstream/container-limits/index.ts";
import { globalAdmins, globalAdminsSynced } from "./downstream/global-admins/index.ts";
import { globalRoleBindings as globalRoleBindingsInClusters } from "./downstream/global-role-bindings/index.ts";
import { globalRoles as globalRolesInClusters } from "./downstream/global-roles/index.ts";
import { impersonators } from "./downstream/impersonators/index.ts";
import { clusterNamespaces } from "./downstream/namespaces/index.ts";
import {
  networkIsolation,
  networkPolicies,
  projectNetworkPolicies,
} from "./downstream/network-policies/index.ts";
import { nodes } from "./downstream/nodes/index.ts";
import { podResources } from "./downstream/pod-resources/index.ts";
import { projectRoleTemplateBindings as projectBindings } from "./downstream/project-role-template-bindings/index.ts";
import { projectSecrets } from "./downstream/project-secrets/index.ts";
import { pullSecrets } from "./downstream/project-secrets/pull-secrets.ts";
import { clusterProjects } from "./downstream/projects/index.ts";
import { provider } from "./downstream/provider/index.ts";
import { resourceQuotas } from "./downstream/resource-quotas/index.ts";
import { roleTemplates as clusterRoleTemplates } from "./downstream/role-templates/index.ts";
import { scaleAvailable } from "./downstream/scale-available/index.ts";
import {
  clusterControllers,
  type Fleet,
  fleetTask,
} from "./everywhere/cluster-controllers/index.ts";
import { clusterAgents } from "./management/cluster-agents/index.ts";
import { clusterImport } from "./management/cluster-import/index.ts";
import { clusterProvisioner } from "./management/cluster-provisioner/index.ts";
import {
  clusterRegistrationTokens,
  defaultRegistrationTokens,
  registrationTokenReaders,
} from "./management/cluster-registration-tokens/index.ts";
import { clusterRoleTemplateBindings } from "./management/cluster-role-template-bindings/index.ts";
import { clusterStats } from "./management/cluster-stats/index.ts";
import { clusters } from "./management/clusters/index.ts";
import { featureRestart } from "./management/feature-restart/index.ts";
import { features } from "./management/features/index.ts";
import { globalRoleBindings } from "./management/global-role-bindings/index.ts";
import { globalRoles } from "./management/global-roles/index.ts";
import type { LocalClusterOptions } from "./management/local-cluster/desired.ts";
import { localCluster } from "./management/local-cluster/index.ts";
import { orphanedAccounts } from "./management/orphaned-accounts/index.ts";
import { projectRoleTemplateBindings } from "./management/project-role-template-bindings/index.ts";
import { projectSecretClusters } from "./management/project-secret-labels/index.ts";
import { projects } from "./management/projects/index.ts";
import { roleTemplates } from "./management/role-templates/index.ts";
import { tokenCleaner } from "./management/service-account-tokens/index.ts";
import { settings } from "./management/settings/index.ts";
import { systemNamespaces } from "./management/system-namespaces/index.ts";
import { tokenHashing } from "./management/token-hashing/index.ts";
import { extTokenOwner, tokenOwner } from "./management/token-owner/index.ts";
import { extTokenPurge, samlTokenPurge, tokenPurge } from "./management/token-purge/index.ts";
import { userLabels } from "./management/user-labels/index.ts";
import { userRefresh, userResync } from "./management/user-refresh/index.ts";
import { userRetention } from "./management/user-retention/index.ts";
import { users } from "./management/users/index.ts";

export { type Access, ensureDefaultAdmin, resetAdminPassword } from "./bootstrap/admin/index.ts";
export { prepare } from "./bootstrap/prepare.ts";
export { Fleet } from "./everywhere/cluster-controllers/index.ts";
export { notOurselves, ownIdentity } from "./identity.ts";

/** What concerns get besides the context of each run. */
export interface Surroundings {
  readonly metrics?: Metrics;
  /** Environment variables; they override settings. */
  readonly env: Environment;
  /** Defaults of the features in this process. */
  readonly features: FeatureDefaults;
  /** Asks for an orderly end of this process, so that whoever runs it starts it anew. */
  readonly restart: (reason: string) => void;
  /** Where a replica tells what it waits for. */
  readonly health?: HealthChecks;
  /** The server's own cluster; null: it shall not be among the managed ones. */
  readonly local?: LocalClusterOptions | null;
  /** Shows the first admin's generated password to whoever installs the server; it must not go to a log. */
  readonly announce?: AdminOptions["announce"];
  /** The managed clusters, and which of them this replica works for; without it for none. */
  readonly fleet?: Fleet | undefined;
  /** The replicas that share them; without it there is only this one. */
  readonly members?: Members | undefined;
}

/** Run once, on the leader, against the local cluster. */
export function management(surroundings: Surroundings): readonly AnyController[] {
  const { metrics, local = {} } = surroundings;
  return [
    settings(surroundings),
    features(surroundings),
    systemNamespaces(),
    ...(local === null ? [] : [localCluster(local)]),
    tokenPurge({ metrics }),
    extTokenPurge({ metrics }),
    samlTokenPurge({ metrics }),
    tokenHashing(surroundings),
    tokenOwner(),
    extTokenOwner(),
    users(),
    userLabels(surroundings),
    userRefresh(),
    userResync(surroundings),
    orphanedAccounts(),
    clusters(surroundings),
    clusterImport,
    clusterProvisioner,
    clusterStats(),
    projects(surroundings),
    userRetention(surroundings),
    globalRoles,
    globalRoleBindings,
    roleTemplates,
    clusterRoleTemplateBindings,
    projectRoleTemplateBindings,
    clusterRegistrationTokens(surroundings),
    registrationTokenReaders,
    defaultRegistrationTokens,
    clusterAgents,
    projectSecretClusters,
  ];
}

/** Run on every replica, against the local cluster. */
export function everywhere(surroundings: Surroundings): readonly AnyController[] {
  const { fleet } = surroundings;
  return [
    featureRestart(surroundings),
    ...(fleet === undefined ? [] : [clusterControllers({ ...surroundings, fleet })]),
  ];
}

/** Names of concerns that change more than they write through their context, so that a dry run of their writes would not be one. */
export const unrehearsed: ReadonlySet<string> = new Set(["cluster-import"]);

/** Run once per managed cluster, on the replica that owns it, between that cluster and the management cluster. */
export function downstream(surroundings: Surroundings): readonly AnyController[] {
  return [
    clusterAgent(surroundings),
    nodes(surroundings),
    podResources(),
    provider,
    scaleAvailable,
    caValidation,
    clusterVersion,
    clusterProjects(surroundings),
    clusterNamespaces(surroundings),
    clusterRoleTemplates,
    clusterBindings,
    impersonators,
    projectBindings,
    globalAdmins,
    globalAdminsSynced,
    globalRolesInClusters,
    globalRoleBindingsInClusters,
    resourceQuotas,
    containerLimits,
    projectSecrets,
    pullSecrets(surroundings),
    networkPolicies,
    networkIsolation,
    projectNetworkPolicies,
  ];
}

/** What is done once, or from time to time, besides reconciling. */
export function tasks(surroundings: Surroundings): readonly Task[] {
  const { features, fleet, health, members } = surroundings;
  return [
    bootstrapData(surroundings),
    bootstrapWait(health),
    tokenCleaner({ defaults: features }),
    ...(fleet === undefined ? [] : [fleetTask(fleet, members)]),
  ];
}

/** Served by every replica: what is refused and what is filled in before it is stored. */
export function webhooks(surroundings: Surroundings): readonly AnyWebhook[] {
  return admission(surroundings);
}

/** The built-in GlobalRoles (rancher: pkg/data/management/role_data.go, addRoles and addUserRules). */

import type { GlobalRole, PolicyRule } from "@drover/crds";
import { globalRole } from "./role.ts";
import { all, create, edit, groups, rule, view } from "./rule.ts";

const { catalog, core, ext, infrastructure, machineConfig, management, operation } = groups;
const { provisioning, rke } = groups;

/** What people do with what is theirs; the API behind these shows everybody only their own. */
const own: readonly PolicyRule[] = [
  edit.on(ext, "kubeconfigs"),
  rule("get,list,watch,create,delete,update,patch").on(ext, "tokens"),
  rule("get,update,patch").on(ext, "useractivities"),
  create.on(ext, "selfusers"),
  create.on(ext, "passwordchangerequests"),
  all.on(management, "preferences"),
  view.on(management, "settings"),
  view.on(management, "features"),
  view.on(management, "rancherusernotifications"),
];

/** Where the credentials of clusters and machines are put by those who create them. */
const credentials: Readonly<Record<string, readonly PolicyRule[]>> = {
  "cattle-global-data": [create.on(core, "secrets")],
  "fleet-default": [create.on(core, "secrets"), create.on(infrastructure, "*")],
};

/** For people: who they are, and who logs in first. */
const people: readonly GlobalRole[] = [
  globalRole("admin", "Admin", {
    rules: [all.on("*", "*"), all.onUrls("*")],
  }),
  globalRole("user", "User", {
    rules: [
      ...own,
      view.on(management, "principals", "roletemplates"),
      create.on(management, "clusters"),
      create.on(provisioning, "clusters"),
      create.on(machineConfig, "*"),
      create.on(management, "fleetworkspaces"),
      view.on(management, "nodedrivers"),
      view.on(management, "kontainerdrivers"),
      view.on(management, "podsecurityadmissionconfigurationtemplates"),
      view.on(catalog, "clusterrepos"),
    ],
    namespacedRules: credentials,
  }),
  globalRole("user-base", "User Base", { rules: own }),
];

/** For single duties, given beside the others. */
const duties: readonly GlobalRole[] = [
  globalRole("clusters-create", "Create Clusters", {
    rules: [
      create.on(management, "clusters"),
      create.on(provisioning, "clusters"),
      create.on(machineConfig, "*"),
      view.on(management, "templates", "templateversions"),
      view.on(management, "nodedrivers"),
      view.on(management, "kontainerdrivers"),
      view.on(management, "podsecurityadmissionconfigurationtemplates"),
      view.on(catalog, "clusterrepos"),
      view.on(rke, "etcdsnapshots"),
      view.on(operation, "*"),
    ],
    namespacedRules: credentials,
  }),
  globalRole("users-manage", "Manage Users", {
    rules: [
      all.on(management, "users", "globalrolebindings"),
      view.on(management, "globalroles"),
      create.on(ext, "groupmembershiprefreshrequests"),
    ],
    namespacedRules: {
      "cattle-local-user-passwords": [rule("create,update").on(core, "secrets")],
    },
  }),
  globalRole("roles-manage", "Manage Roles", { rules: [edit.on(management, "roletemplates")] }),
  globalRole("authn-manage", "Manage Authentication", {
    rules: [rule("get,list,watch,update").on(management, "authconfigs")],
  }),
  globalRole("settings-manage", "Manage Settings", { rules: [all.on(management, "settings")] }),
  globalRole("features-manage", "Manage Features", {
    rules: [rule("get,list,watch,update").on(management, "features")],
  }),
  globalRole("nodedrivers-manage", "Manage Node Drivers", {
    rules: [all.on(management, "nodedrivers")],
  }),
  globalRole("kontainerdrivers-manage", "Manage Cluster Drivers", {
    rules: [all.on(management, "kontainerdrivers")],
  }),
  globalRole("proxy-endpoints-manage", "Manage Rancher Proxy", {
    rules: [all.on(management, "proxyendpoints")],
  }),
  globalRole("view-rancher-metrics", "View Rancher Metrics", {
    rules: [rule("get").on(management, "ranchermetrics")],
  }),
];

const oidcClients = globalRole("manage-oidc-clients", "Manage OIDC Clients", {
  rules: [edit.on(management, "oidcclients")],
});

/** What decides which GlobalRoles there are. */
export interface GlobalRoleOptions {
  /** Feature oidc-provider: without it nobody manages its clients. */
  readonly oidcProvider: boolean;
}

/** Every built-in GlobalRole. */
export function globalRoles({ oidcProvider }: GlobalRoleOptions): readonly GlobalRole[] {
  return [...people, ...duties, ...(oidcProvider ? [oidcClients] : [])];
}

/** Built-in RoleTemplates that are bound in clusters (rancher: pkg/data/management/role_data.go). */

import type { PolicyRule, RoleTemplate } from "@drover/crds";
import { clusterTemplate } from "./role.ts";
import { all, create, groups, rule, type Verbs, view } from "./rule.ts";

const { catalog, clusterApi, core, machine, machineConfig, management, metrics } = groups;
const { operation, provisioning, rke, storage, ui } = groups;

/** Machines behind nodes, as Cluster API and its providers keep them. */
function machines(verbs: Verbs): readonly PolicyRule[] {
  return [
    verbs.on(clusterApi, "machines"),
    verbs.on(clusterApi, "machinedeployments"),
    verbs.on(machineConfig, "*"),
    verbs.on(machine, "*"),
  ];
}

function nodes(verbs: Verbs): readonly PolicyRule[] {
  return [
    verbs.on(management, "nodes", "nodepools"),
    verbs.on(core, "nodes"),
    view.on(management, "clustermonitorgraphs"),
    ...machines(verbs),
  ];
}

/** For people in a cluster. */
const membership: readonly RoleTemplate[] = [
  clusterTemplate("cluster-admin", "Kubernetes cluster-admin", {
    external: true,
    hidden: true,
    administrative: true,
  }),
  clusterTemplate("cluster-owner", "Cluster Owner", {
    administrative: true,
    rules: [
      all.on("*", "*"),
      all.onUrls("*"),
      rule("own").on(management, "clusters"),
      rule("updatepsa").on(management, "projects"),
      all.on(management, "clusterproxyconfigs"),
      all.on(provisioning, "clusters"),
      all.on(clusterApi, "machines"),
      all.on(machineConfig, "*"),
      all.on(machine, "*"),
      all.on(operation, "*"),
      view.on(rke, "etcdsnapshots"),
    ],
  }),
  clusterTemplate("cluster-member", "Cluster Member", {
    rules: [
      view.on(ui, "navlinks"),
      view.on(management, "clusterroletemplatebindings"),
      create.on(management, "projects"),
      view.on(management, "nodes", "nodepools"),
      view.on(core, "nodes"),
      view.on(core, "persistentvolumes"),
      view.on(storage, "storageclasses"),
      view.on("apiregistration.k8s.io", "apiservices"),
      view.on(management, "clusterevents"),
      view.on(catalog, "clusterrepos"),
      view.on(metrics, "nodemetrics", "nodes"),
      rule("get").onNamed(management, "clusters", ["local"]),
      ...machines(rule("get,watch")),
    ],
  }),
];

/** For single duties in a cluster. */
const duties: readonly RoleTemplate[] = [
  clusterTemplate("projects-create", "Create Projects", {
    rules: [create.on(management, "projects")],
  }),
  clusterTemplate("projects-view", "View All Projects", {
    inherits: ["view"],
    rules: [
      view.on(management, "projects"),
      view.on(management, "projectroletemplatebindings"),
      view.on(core, "namespaces"),
      view.on(core, "persistentvolumes"),
      view.on(storage, "storageclasses"),
      view.on(core, "persistentvolumeclaims"),
      view.on(management, "clusterevents"),
    ],
  }),
  clusterTemplate("nodes-manage", "Manage Nodes", { rules: nodes(all) }),
  clusterTemplate("nodes-view", "View Nodes", {
    rules: [...nodes(view), view.on(metrics, "nodemetrics", "nodes")],
  }),
  clusterTemplate("storage-manage", "Manage Storage", {
    rules: [
      all.on(core, "persistentvolumes"),
      all.on(storage, "storageclasses"),
      all.on(core, "persistentvolumeclaims"),
    ],
  }),
  clusterTemplate("clusterroletemplatebindings-manage", "Manage Cluster Members", {
    rules: [all.on(management, "clusterroletemplatebindings")],
  }),
  clusterTemplate("clusterroletemplatebindings-view", "View Cluster Members", {
    rules: [view.on(management, "clusterroletemplatebindings")],
  }),
  clusterTemplate("clustercatalogs-manage", "Manage Cluster Catalogs", {
    administrative: true,
    rules: [all.on(catalog, "clusterrepos")],
  }),
  clusterTemplate("clustercatalogs-view", "View Cluster Catalogs", {
    rules: [view.on(catalog, "clusterrepos")],
  }),
  clusterTemplate("backups-manage", "Manage Cluster Backups", {
    rules: [all.on(management, "etcdbackups")],
  }),
  clusterTemplate("navlinks-manage", "Manage Navlinks", { rules: [all.on(ui, "navlinks")] }),
];

/** Every built-in RoleTemplate of context cluster. */
export const clusterTemplates: readonly RoleTemplate[] = [...membership, ...duties];

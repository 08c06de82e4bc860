/** Built-in RoleTemplates for single duties in a project (rancher: pkg/data/management/role_data.go). */

import type { PolicyRule, RoleTemplate } from "@drover/crds";
import { projectTemplate } from "./role.ts";
import { all, create, edit, groups, rule, type Verbs, view } from "./rule.ts";

const { apps, core, management, storage, ui } = groups;

/** What workloads are bounded by and what they say; nobody changes it through a role. */
const aboutWorkloads = view.on(
  core,
  ...["bindings", "limitranges", "pods/log", "pods/status"],
  ...["replicationcontrollers/status", "resourcequotas", "resourcequotas/status"],
);

/** Workloads that others make Pods of. */
function jobs(verbs: Verbs): readonly PolicyRule[] {
  return [
    verbs.on("autoscaling", "horizontalpodautoscalers"),
    verbs.on("batch", "cronjobs", "jobs"),
  ];
}

const workloads: readonly RoleTemplate[] = [
  projectTemplate("workloads-manage", "Manage Workloads", {
    rules: [
      edit.on(
        core,
        ...["pods", "pods/attach", "pods/exec", "pods/portforward", "pods/proxy"],
        ...["replicationcontrollers", "replicationcontrollers/scale"],
      ),
      edit.on(
        apps,
        ...["daemonsets", "deployments", "deployments/scale", "replicasets", "replicasets/scale"],
        ...["statefulsets", "statefulsets/scale"],
      ),
      rule("create,delete,deletecollection,patch,update").on(apps, "deployments/rollback"),
      ...jobs(edit),
      aboutWorkloads,
    ],
  }),
  projectTemplate("workloads-view", "View Workloads", {
    rules: [
      view.on(core, "pods", "replicationcontrollers", "replicationcontrollers/scale"),
      view.on(
        apps,
        ...["daemonsets", "deployments", "deployments/rollback", "deployments/scale"],
        ...["replicasets", "replicasets/scale", "statefulsets"],
      ),
      ...jobs(view),
      aboutWorkloads,
    ],
  }),
];

/** A template to change a kind of things, and one to look at it. */
function pair(
  name: string,
  people: string,
  rules: (verbs: Verbs) => readonly PolicyRule[],
): readonly RoleTemplate[] {
  return [
    projectTemplate(`${name}-manage`, `Manage ${people}`, { rules: rules(all) }),
    projectTemplate(`${name}-view`, `View ${people}`, { rules: rules(view) }),
  ];
}

const services: readonly RoleTemplate[] = [
  projectTemplate("services-manage", "Manage Services", {
    rules: [all.on(core, "services", "services/proxy", "endpoints")],
  }),
  // Without services/proxy: who may get that reaches what the service serves.
  projectTemplate("services-view", "View Services", {
    rules: [view.on(core, "services", "endpoints")],
  }),
];

/** Services of the monitoring chart, with the port of each. */
const monitoring = { prometheus: 9090, alertmanager: 9093, grafana: 80 } as const;

const monitored = Object.entries(monitoring).map(([name, port]) => ({
  name: `rancher-monitoring-${name}`,
  port,
}));

const monitoringViews: readonly RoleTemplate[] = [
  projectTemplate("project-monitoring-readonly", "Project Monitoring View Role", {
    hidden: true,
    inherits: ["view"],
    rules: [rule("view").on("monitoring.cattle.io", "prometheus")],
  }),
  // The chart brings the ClusterRole; these rules stand in for it where permissions are checked.
  projectTemplate("monitoring-ui-view", "View Monitoring", {
    external: true,
    externalRules: [
      rule("get,create").onNamed(
        core,
        "services/proxy",
        monitored.flatMap(({ name, port }) => [`http:${name}:${port}`, `https:${name}:${port}`]),
      ),
      rule("list").onNamed(
        core,
        "endpoints",
        monitored.map(({ name }) => name),
      ),
    ],
  }),
];

/** Every built-in RoleTemplate for a duty in a project. */
export const projectDuties: readonly RoleTemplate[] = [
  projectTemplate("create-ns", "Create Namespaces", { rules: [create.on(core, "namespaces")] }),
  ...workloads,
  ...pair("ingress", "Ingress", (verbs) => [
    verbs.on("extensions", "ingresses"),
    verbs.on("networking.k8s.io", "ingresses"),
  ]),
  ...services,
  ...pair("secrets", "Secrets", (verbs) => [verbs.on(core, "secrets")]),
  ...pair("configmaps", "Config Maps", (verbs) => [verbs.on(core, "configmaps")]),
  ...pair("persistentvolumeclaims", "Volumes", (verbs) => [
    verbs.on(core, "persistentvolumeclaims"),
    view.on(core, "persistentvolumes"),
    view.on(storage, "storageclasses"),
  ]),
  ...pair("serviceaccounts", "Service Accounts", (verbs) => [verbs.on(core, "serviceaccounts")]),
  ...pair("projectroletemplatebindings", "Project Members", (verbs) => [
    verbs.on(management, "projectroletemplatebindings"),
  ]),
  ...monitoringViews,
  projectTemplate("navlinks-view", "View Navlinks", { rules: [view.on(ui, "navlinks")] }),
];

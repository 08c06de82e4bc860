/** Built-in RoleTemplates for people in a project (rancher: pkg/data/management/role_data.go). */

import type { PolicyRule, RoleTemplate } from "@drover/crds";
import { projectTemplate } from "./role.ts";
import { all, create, edit, groups, rule, type Verbs, view } from "./rule.ts";

const { catalog, core, management, metrics, storage, ui } = groups;

/** What everybody in a project sees around it. */
const around: readonly PolicyRule[] = [
  view.on(ui, "navlinks"),
  view.on(core, "persistentvolumes"),
  view.on(storage, "storageclasses"),
  view.on("apiregistration.k8s.io", "apiservices"),
  view.on(management, "clusterevents"),
  view.on(catalog, "clusterrepos"),
  view.on(catalog, "operations"),
  view.on(catalog, "releases"),
  view.on(catalog, "apps"),
  rule("get").onNamed(management, "clusters", ["local"]),
];

const istioConfig = (
  "apikeys,authorizations,checknothings,circonuses,deniers,fluentds,handlers,kubernetesenvs,kuberneteses,listcheckers,listentries," +
  "logentries,memquotas,metrics,opas,prometheuses,quotas,quotaspecbindings,quotaspecs,rbacs,reportnothings,rules,solarwindses," +
  "stackdrivers,statsds,stdios"
).split(",");

/** What people have in a project beside Kubernetes' own roles: volumes, metrics, monitoring, Istio. */
function contents(verbs: Verbs): readonly PolicyRule[] {
  return [
    verbs.on(core, "persistentvolumeclaims"),
    verbs.on(metrics, "pods"),
    verbs.on("monitoring.coreos.com", "prometheuses", "prometheusrules", "servicemonitors"),
    verbs.on(
      "networking.istio.io",
      ...["destinationrules", "envoyfilters", "gateways"],
      ...["serviceentries", "sidecars", "virtualservices"],
    ),
    verbs.on("config.istio.io", ...istioConfig),
    verbs.on("authentication.istio.io", "policies"),
    verbs.on("rbac.istio.io", "rbacconfigs", "serviceroles", "servicerolebindings"),
    verbs.on("security.istio.io", "authorizationpolicies"),
  ];
}

/** How traffic comes in: newer kinds of Istio, the Gateway API, Traefik. Only kinds that live in namespaces. */
const traffic: readonly PolicyRule[] = [
  edit.on("networking.istio.io", "proxyconfigs", "workloadentries", "workloadgroups"),
  edit.on("security.istio.io", "peerauthentications", "requestauthentications"),
  edit.on("telemetry.istio.io", "telemetries"),
  edit.on(
    "gateway.networking.k8s.io",
    ...["backendtlspolicies", "gateways", "grpcroutes", "httproutes"],
    ...["referencegrants", "tcproutes", "tlsroutes", "udproutes"],
  ),
  edit.on(
    "traefik.io",
    ...["ingressroutes", "ingressroutetcps", "ingressrouteudps", "middlewares", "middlewaretcps"],
    ...["serverstransports", "serverstransporttcps", "tlsoptions", "tlsstores", "traefikservices"],
  ),
];

const bindings = "projectroletemplatebindings";

/** Kubernetes' own roles, by the names of their ClusterRoles. */
const kubernetes: readonly RoleTemplate[] = ["admin", "edit", "view"].map((name) =>
  projectTemplate(name, `Kubernetes ${name}`, { external: true, hidden: true }),
);

/**
 * Every built-in RoleTemplate for people in a project. Owners have all that members have, also `traffic`: nobody may bind others to more than they
 * hold themselves.
 */
export const projectMembers: readonly RoleTemplate[] = [
  ...kubernetes,
  projectTemplate("project-owner", "Project Owner", {
    inherits: ["admin"],
    rules: [
      ...around,
      view.on(core, "nodes"),
      all.on(management, bindings),
      rule("own").on(management, "projects"),
      create.on(core, "namespaces"),
      ...contents(all),
      ...traffic,
    ],
  }),
  projectTemplate("project-member", "Project Member", {
    inherits: ["edit"],
    rules: [
      ...around,
      view.on(management, bindings),
      create.on(core, "namespaces"),
      ...contents(all),
      ...traffic,
    ],
  }),
  projectTemplate("read-only", "Read-only", {
    inherits: ["view"],
    rules: [...around, view.on(management, bindings), ...contents(view)],
  }),
];

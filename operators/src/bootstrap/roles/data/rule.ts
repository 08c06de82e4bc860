/** Rules that read as a sentence: `view.on("management.cattle.io", "settings")`. */

import type { PolicyRule } from "@drover/crds";

/** Verbs that wait for what they are allowed on. */
export interface Verbs {
  /** On all objects of these resources. */
  on(group: string, ...resources: readonly string[]): PolicyRule;
  /** On the objects of these names only. */
  onNamed(group: string, resource: string, names: readonly string[]): PolicyRule;
  /** On paths outside the resources. */
  onUrls(...urls: readonly string[]): PolicyRule;
}

/** Begins a rule with its verbs, by commas. */
export function rule(verbs: string): Verbs {
  const list = verbs.split(",");
  return {
    on: (group, ...resources) => ({ verbs: list, apiGroups: [group], resources }),
    onNamed: (group, resource, names) => ({
      verbs: list,
      apiGroups: [group],
      resources: [resource],
      resourceNames: names,
    }),
    onUrls: (...urls) => ({ verbs: list, nonResourceURLs: urls }),
  };
}

/** To look at. */
export const view: Verbs = rule("get,list,watch");
/** Everything that Kubernetes itself does with objects, but no verb that somebody made up. */
export const edit: Verbs = rule("get,list,watch,create,update,patch,delete,deletecollection");
/** Every verb there is or will be. */
export const all: Verbs = rule("*");
/** To make. */
export const create: Verbs = rule("create");

/** API groups by short names. */
export const groups = {
  core: "",
  apps: "apps",
  catalog: "catalog.cattle.io",
  clusterApi: "cluster.x-k8s.io",
  ext: "ext.cattle.io",
  infrastructure: "infrastructure.cluster.x-k8s.io",
  machine: "rke-machine.cattle.io",
  machineConfig: "rke-machine-config.cattle.io",
  management: "management.cattle.io",
  metrics: "metrics.k8s.io",
  operation: "operation.cattle.io",
  provisioning: "provisioning.cattle.io",
  rke: "rke.cattle.io",
  storage: "storage.k8s.io",
  ui: "ui.cattle.io",
} as const;

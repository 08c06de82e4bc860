/** Limits as projects and namespaces write them, and as Kubernetes has them. Pure. */

import type { ResourceQuotaLimit } from "@drover/crds";

/** Amounts by Kubernetes' name of the resource; texts as people wrote them. */
export type Hard = ReadonlyMap<string, string>;

/** Kubernetes' name for each field (rancher: pkg/resourcequota). */
const fields: Readonly<Record<Exclude<keyof ResourceQuotaLimit, "extended">, string>> = {
  pods: "pods",
  services: "services",
  replicationControllers: "replicationcontrollers",
  secrets: "secrets",
  configMaps: "configmaps",
  persistentVolumeClaims: "persistentvolumeclaims",
  servicesNodePorts: "services.nodeports",
  servicesLoadBalancers: "services.loadbalancers",
  requestsCpu: "requests.cpu",
  requestsMemory: "requests.memory",
  requestsStorage: "requests.storage",
  limitsCpu: "limits.cpu",
  limitsMemory: "limits.memory",
};
const names = new Map<string, string>(Object.entries(fields));
const fieldsByName = new Map<string, string>(
  Object.entries(fields).map(([field, name]) => [name, field]),
);

/** By Kubernetes' names. A field wins over the same resource in `extended`; empty texts count as not set, fields that nobody knows do not count. */
export function hardOf(limit: ResourceQuotaLimit | undefined): Hard {
  const { extended = {}, ...named } = limit ?? {};
  const entries = Object.entries(named).flatMap(([field, text]) => {
    const name = names.get(field);
    return name === undefined ? [] : [[name, text] as const];
  });
  const all = [...Object.entries(extended), ...entries];
  return new Map(all.filter(([, text]) => typeof text === "string" && text !== ""));
}

/** By the names of projects. */
export function limitOf(hard: Hard): ResourceQuotaLimit {
  const entries = [...hard].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const named = entries.flatMap(([name, text]) => {
    const field = fieldsByName.get(name);
    return field === undefined ? [] : [[field, text] as const];
  });
  const extended = entries.filter(([name]) => !fieldsByName.has(name));
  return {
    ...Object.fromEntries(named),
    ...(extended.length > 0 && { extended: Object.fromEntries(extended) }),
  };
}

/** What a namespace is to have: what it asks for, as far as the project gives a share of that resource, and the share of all else. */
export function effective(share: Hard, requested: Hard): Hard {
  return new Map([...share].map(([name, text]) => [name, requested.get(name) ?? text]));
}

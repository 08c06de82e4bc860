/** Names that people and programs see. */

import { safeConcatName } from "@drover/crds";

/** The controllers; their field managers are these after `drover-`. */
export const controllerNames = {
  namespaces: "network-policies",
  cluster: "network-isolation",
  projects: "project-network-policies",
} as const;

/** Services whose policies would have the names of others. */
const reserved: readonly string[] = ["default", "default-allow-all"];

/** The longest name of a Pod that still fits into the name of a policy. */
const longest = 250;

/** The policies of a namespace. */
export const policyNames = {
  /** Lets in who is in the same project, or in the System project. */
  isolated: "np-default",
  /** In the System project: lets all in and out. */
  open: "np-default-allow-all",
  /** Lets in what comes from the nodes themselves. */
  nodes: "hn-nodes",
  /** Lets all reach the ports of a Service that are open on every node; with a dot, which no Service has in its name, where a policy above has the name. */
  service: (name: string): string => (reserved.includes(name) ? `np.${name}` : `np-${name}`),
  /** Lets all reach the ports of a Pod that are open on its node. */
  pod: (name: string): string =>
    name.length > longest ? safeConcatName("hp", name) : `hp-${name}`,
} as const;

/** On every policy of ours, and on those of a Rancher. */
export const creator = { key: "cattle.io/creator", value: "norman" } as const;

/** On the Cluster: spec.enableNetworkPolicy, for older programs. */
export const enabledAnnotation = "networking.management.cattle.io/enable-network-policy";

/** Label of a Pod with ports on its node: its own name, for policies select by labels alone. */
export const podNameLabel = "field.cattle.io/podName";

/** Condition of a Project: its ProjectNetworkPolicy is there. */
export const policyCreated = "DefaultNetworkPolicyCreated";

/** The ProjectNetworkPolicy of a project. */
export function projectPolicyName(project: string): string {
  return `pnp-${project}`;
}

/** Reasons of Events. */
export const reasons = {
  /** Somebody else's policy has the name of one of ours; it stays as it is. */
  nameTaken: "NameTaken",
} as const;

/** Indexes. */
export const indexes = {
  /** Namespaces by the key of the Project that they are in. */
  member: "network-policies.member",
  /** "all" for every namespace that is in a project. */
  inProject: "network-policies.in-project",
  /** Services that are open on every node, by their namespace. */
  open: "network-policies.open",
  /** Pods with ports on their node, by their namespace. */
  exposed: "network-policies.exposed",
  /** NetworkPolicies by their namespace. */
  home: "network-policies.home",
  /** "ours" for policies that bear a sign of ours. */
  ours: "network-policies.ours",
  /** Projects by their cluster, of those for the system. */
  system: "network-policies.system",
  /** Projects by their cluster. */
  cluster: "network-policies.cluster",
} as const;

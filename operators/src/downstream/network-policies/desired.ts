/** The NetworkPolicies of a namespace whose cluster keeps projects apart (rancher: pkg/controllers/managementuser/networkpolicy). Pure. */

import { isIP } from "node:net";
import {
  annotations,
  labels,
  type ProjectId,
  parseProjectId,
  projectKeyOf,
  projectNames,
  safeConcatName,
} from "@drover/crds";
import { apiVersionOf, claimOf, type KubeObject, marksOf, refTo, setIndex } from "kopf-ts";
import {
  type ContainerPort,
  Namespace,
  NetworkPolicy,
  type NetworkPolicyPort,
  type NetworkPolicySpec,
  type Node,
  type Pod,
  type Service,
} from "kopf-ts/kinds";
import { creator, podNameLabel, policyNames } from "./names.ts";

/** What a namespace's policies follow from. */
export interface Around {
  /** Name of the project that the namespace is in. */
  readonly project: string;
  /** Name of the System project, where there is one. */
  readonly system: string | undefined;
  /** Addresses that the nodes' own traffic comes from. */
  readonly nodes: readonly string[];
  /** Services of the namespace that are open on every node. */
  readonly services: readonly Service[];
  /** Pods of the namespace that have ports on their node. */
  readonly pods: readonly Pod[];
  /** Whether people have policies of their own there. */
  readonly hasOthers: boolean;
}

/** All policies that a namespace should have. */
export function policiesOf(namespace: string, around: Around): readonly NetworkPolicy[] {
  const { project, system, nodes, services, pods, hasOthers } = around;
  if (project === system) {
    return hasOthers ? [] : [policy(namespace, policyNames.open, everything, project)];
  }
  const peers = [...new Set([project, ...(system === undefined ? [] : [system])])];
  return [
    policy(namespace, policyNames.isolated, letIn(peers), project),
    // A rule without peers would let all in.
    ...(nodes.length === 0 ? [] : [policy(namespace, policyNames.nodes, fromNodes(nodes))]),
    ...services.flatMap((service) => forService(namespace, service)),
    ...pods.map((pod) => forPod(namespace, pod)),
  ];
}

const everything: NetworkPolicySpec = {
  podSelector: {},
  ingress: [{}],
  egress: [{}],
  policyTypes: ["Ingress", "Egress"],
};

function letIn(projects: readonly string[]): NetworkPolicySpec {
  const from = projects.map((project) => ({
    namespaceSelector: {
      matchLabels: { [labels.projectId]: projectNames.namespaceLabel(project) },
    },
  }));
  return { podSelector: {}, ingress: [{ from }], policyTypes: ["Ingress"] };
}

function fromNodes(cidrs: readonly string[]): NetworkPolicySpec {
  const from = cidrs.map((cidr) => ({ ipBlock: { cidr } }));
  return { podSelector: {}, ingress: [{ from }], policyTypes: ["Ingress"] };
}

/** None for one without selector, whose policy would open all Pods of the namespace. */
function forService(namespace: string, { metadata, spec }: Service): readonly NetworkPolicy[] {
  const { selector = {}, ports = [] } = spec ?? {};
  if (Object.keys(selector).length === 0) return [];
  const open = ports
    .filter(({ nodePort = 0 }) => nodePort !== 0)
    .map(
      ({ protocol = "TCP", targetPort, port }): NetworkPolicyPort => ({
        protocol,
        port: targetPort ?? port,
      }),
    );
  const rules: NetworkPolicySpec = {
    podSelector: { matchLabels: selector },
    ingress: [{ ports: open }],
    policyTypes: ["Ingress"],
  };
  return [policy(namespace, policyNames.service(metadata.name), rules)];
}

function forPod(namespace: string, pod: Pod): NetworkPolicy {
  const ports = hostPorts(pod).map(
    ({ containerPort, protocol = "TCP" }): NetworkPolicyPort => ({ protocol, port: containerPort }),
  );
  return policy(namespace, policyNames.pod(pod.metadata.name), {
    podSelector: { matchLabels: { [podNameLabel]: podNameOf(pod) } },
    ingress: [{ ports }],
    policyTypes: ["Ingress"],
  });
}

/** The value of a Pod's label; labels are shorter than names. */
export function podNameOf({ metadata }: Pick<Pod, "metadata">): string {
  return safeConcatName(metadata.name);
}

/** Whether a Pod has ports on its node, and may be selected: policies say nothing about one that is in its node's network. */
export function isExposed(pod: Pod): boolean {
  const { spec, metadata } = pod;
  return (
    metadata.deletionTimestamp === undefined &&
    spec?.hostNetwork !== true &&
    hostPorts(pod).length > 0
  );
}

function hostPorts({ spec }: Pod): readonly ContainerPort[] {
  const ports = spec?.containers.flatMap((container) => container.ports ?? []) ?? [];
  return ports.filter(({ hostPort = 0 }) => hostPort !== 0);
}

function policy(
  namespace: string,
  name: string,
  spec: NetworkPolicySpec,
  project?: string,
): NetworkPolicy {
  const own = {
    [creator.key]: creator.value,
    ...(project !== undefined && { [labels.projectId]: projectNames.namespaceLabel(project) }),
  };
  const metadata = { name, namespace, labels: own };
  return { apiVersion: apiVersionOf(NetworkPolicy), kind: NetworkPolicy.kind, metadata, spec };
}

/** Whether a Service has a port on every node. */
export function isOpen({ spec }: Service): boolean {
  return spec?.ports?.some(({ nodePort = 0 }) => nodePort !== 0) === true;
}

/** What calico's nodes send from, by how they send. */
const tunnels = ["projectcalico.org/IPv4IPIPTunnelAddr", "projectcalico.org/IPv4VXLANTunnelAddr"];

/** The address that a node's own traffic to Pods comes from, as a CIDR; undefined where nobody knows. */
export function addressOf({ metadata, spec }: Node): string | undefined {
  const tunnel = tunnels.map((key) => metadata.annotations?.[key]).find(Boolean);
  const address = tunnel ?? spec?.podCIDR?.split("/")[0] ?? "";
  const version = isIP(address);
  return version === 0 ? undefined : `${address}/${version === 4 ? 32 : 128}`;
}

/** Whose policies: the field manager of the concern. */
export interface PolicySet {
  readonly id: string;
  readonly scope?: string | undefined;
}

/**
 * Whether a policy was made by us or by a Rancher before us. Norman's label alone proves nothing: it is on all that people made through Rancher.
 */
export function isOurs(object: KubeObject, set: PolicySet): boolean {
  const { labels: own, name, namespace = "", ownerReferences = [] } = object.metadata;
  const { hash } = marksOf({ ...set, owner: refTo(Namespace, namespace) });
  const marked = { ...own, [setIndex.name]: hash };
  const claim =
    claimOf(object) ?? claimOf({ ...object, metadata: { ...object.metadata, labels: marked } });
  if (claim !== undefined) return claim === hash;
  if (own?.[creator.key] !== creator.value) return false;
  const { isolated, open, nodes } = policyNames;
  if ([isolated, open, nodes].some((each) => each === name)) return true;
  return ownerReferences.some(
    (each) =>
      (each.kind === "Service" && name === `np-${each.name}`) ||
      (each.kind === "Pod" && name === `hp-${each.name}`),
  );
}

/** Anything that `isOurs` might say yes to. */
export function maybeOurs({ metadata }: KubeObject): boolean {
  const marks = Object.keys(metadata.annotations ?? {});
  return (
    metadata.labels?.[creator.key] === creator.value ||
    marks.some((key) => key.startsWith("objectset.rio.cattle.io/"))
  );
}

/** The project that a namespace is in. */
export function idIn({ metadata }: KubeObject): ProjectId | undefined {
  return parseProjectId(metadata.annotations?.[annotations.projectId] ?? "");
}

/** Key of the Project that a namespace is in. */
export function memberOf(namespace: KubeObject): readonly string[] {
  const id = idIn(namespace);
  return id === undefined ? [] : [projectKeyOf(id)];
}

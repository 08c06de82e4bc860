/** Who provides a cluster, by its version and its nodes (rancher: kubernetes-provider-detector). Pure. */

import type { Node } from "@drover/crds";

/** What is known of a cluster. */
export interface Facts {
  /** As its API server tells it: v1.35.0+k3s1. */
  readonly gitVersion: string;
  readonly nodes: readonly Node[];
}

/** How each provider is recognised, in the order in which they are asked: who builds upon another comes first. */
const providers: readonly (readonly [string, (facts: Facts) => boolean])[] = [
  ["harvester", ({ nodes }) => nodes.some(labelled("harvesterhci.io/managed"))],
  ["aks", ({ nodes }) => nodes.some(labelled("kubernetes.azure.com/cluster"))],
  ["eks", ({ gitVersion }) => gitVersion.includes("-eks-")],
  ["gke", ({ gitVersion }) => gitVersion.includes("-gke.")],
  ["docker", ({ nodes }) => nodes.some(named("docker-desktop", "docker-for-desktop"))],
  ["minikube", ({ nodes }) => nodes.some(labelled("minikube.k8s.io/name"))],
  ["rke2", ({ gitVersion }) => gitVersion.includes("+rke2")],
  ["k3s", ({ gitVersion }) => gitVersion.includes("+k3s")],
  ["rke", ({ nodes }) => nodes.some(annotated("rke.cattle.io/internal-ip"))],
];

/** Undefined for a cluster that no rule fits: then what somebody else said of it stays. */
export function providerOf(facts: Facts): string | undefined {
  return providers.find(([, fits]) => fits(facts))?.[0];
}

/** What it takes to make an object tell the provider; undefined where it does. */
export function labelPatch(
  labels: Readonly<Record<string, string>> | undefined,
  key: string,
  provider: string,
): { readonly labels: Readonly<Record<string, string>> } | undefined {
  return labels?.[key] === provider ? undefined : { labels: { [key]: provider } };
}

type Fits = (node: Node) => boolean;

function labelled(key: string): Fits {
  return ({ status }) => status?.nodeLabels?.[key] !== undefined;
}

function annotated(key: string): Fits {
  return ({ status }) => status?.nodeAnnotations?.[key] !== undefined;
}

function named(...names: readonly string[]): Fits {
  return ({ status }) => names.includes(status?.nodeName ?? "");
}

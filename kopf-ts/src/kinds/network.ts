/** Kinds that say how Pods are reached, and by whom. */

import { defineKind, type Kind, type KubeObject } from "../kube/index.ts";
import type { LabelSelector } from "./selector.ts";

/** A name and address in front of Pods. */
export interface Service extends KubeObject {
  readonly spec?: {
    readonly type?: "ClusterIP" | "ExternalName" | "LoadBalancer" | "NodePort";
    readonly selector?: Readonly<Record<string, string>>;
    readonly ports?: readonly ServicePort[];
    readonly externalName?: string;
  };
}

/** A port of a Service, and where it leads. */
export interface ServicePort {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: "SCTP" | "TCP" | "UDP";
  /** A number, or the name of a port of the Pods. */
  readonly targetPort?: number | string;
  /** The port on every node, where there is one. */
  readonly nodePort?: number;
}

export const Service: Kind<Service> = defineKind<Service>({
  group: "",
  version: "v1",
  plural: "services",
  kind: "Service",
  scope: "Namespaced",
});

/** Who may reach the Pods of a namespace; several of them add up. */
export interface NetworkPolicy extends KubeObject {
  readonly spec?: NetworkPolicySpec;
}

/** What a NetworkPolicy allows for the Pods that it selects. */
export interface NetworkPolicySpec {
  readonly podSelector: LabelSelector;
  readonly policyTypes?: readonly ("Egress" | "Ingress")[];
  /** A rule without peers allows all. */
  readonly ingress?: readonly {
    readonly from?: readonly NetworkPolicyPeer[];
    readonly ports?: readonly NetworkPolicyPort[];
  }[];
  readonly egress?: readonly {
    readonly to?: readonly NetworkPolicyPeer[];
    readonly ports?: readonly NetworkPolicyPort[];
  }[];
}

/** Pods, namespaces or addresses. */
export interface NetworkPolicyPeer {
  readonly podSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

/** A port by number or name; absent: all. */
export interface NetworkPolicyPort {
  readonly protocol?: "SCTP" | "TCP" | "UDP";
  readonly port?: number | string;
  readonly endPort?: number;
}

export const NetworkPolicy: Kind<NetworkPolicy> = defineKind<NetworkPolicy>({
  group: "networking.k8s.io",
  version: "v1",
  plural: "networkpolicies",
  kind: "NetworkPolicy",
  scope: "Namespaced",
});

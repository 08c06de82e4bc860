/** Nodes, and the Pods that run on them. */

import { defineKind, type Kind, type KubeObject, type ObjectMeta } from "../kube/index.ts";
import type { ResourceAmounts } from "./quota.ts";

/** A machine that Pods run on. */
export interface Node extends KubeObject {
  readonly spec?: {
    readonly taints?: readonly Taint[];
    readonly unschedulable?: boolean;
    readonly providerID?: string;
    readonly podCIDR?: string;
  };
  readonly status?: {
    readonly capacity?: ResourceAmounts;
    readonly allocatable?: ResourceAmounts;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: "False" | "True" | "Unknown";
      readonly reason?: string;
      readonly message?: string;
      /** Moves with every report of the kubelet. */
      readonly lastHeartbeatTime?: string;
      readonly lastTransitionTime?: string;
    }[];
    readonly nodeInfo?: {
      readonly kubeletVersion?: string;
      readonly operatingSystem?: string;
      readonly architecture?: string;
      readonly osImage?: string;
    };
  };
}

export const Node: Kind<Node> = defineKind<Node>({
  group: "",
  version: "v1",
  plural: "nodes",
  kind: "Node",
  scope: "Cluster",
});

/** Keeps Pods away that do not tolerate it. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: "NoExecute" | "NoSchedule" | "PreferNoSchedule";
  readonly timeAdded?: string;
}

/** Lets a Pod onto nodes in spite of a taint. */
export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

/** What a Pod consists of. */
export interface PodSpec {
  readonly nodeName?: string;
  /** Labels that its node must have. */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  /** What the machinery around the containers takes. */
  readonly overhead?: ResourceAmounts;
  /** Of all containers together; counts instead of theirs where it is given. */
  readonly resources?: ContainerResources;
  readonly serviceAccountName?: string;
  readonly priorityClassName?: string;
  readonly tolerations?: readonly Toleration[];
  readonly affinity?: Readonly<Record<string, unknown>>;
  readonly hostNetwork?: boolean;
  readonly imagePullSecrets?: readonly { readonly name?: string }[];
  readonly volumes?: readonly Readonly<Record<string, unknown>>[];
}

/** A port that a container says it listens on. */
export interface ContainerPort {
  readonly containerPort: number;
  /** The port on the Pod's node, where there is one. */
  readonly hostPort?: number;
  readonly protocol?: "SCTP" | "TCP" | "UDP";
}

/** One process of a Pod. */
export interface Container {
  readonly name: string;
  readonly ports?: readonly ContainerPort[];
  readonly image?: string;
  readonly imagePullPolicy?: "Always" | "IfNotPresent" | "Never";
  readonly resources?: ContainerResources;
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: Readonly<Record<string, unknown>>;
  }[];
  readonly volumeMounts?: readonly Readonly<Record<string, unknown>>[];
  /** `Always` on an init container that runs beside the others. */
  readonly restartPolicy?: string;
}

/** What is set aside for a container, and the most it gets. */
export interface ContainerResources {
  readonly requests?: ResourceAmounts;
  readonly limits?: ResourceAmounts;
}

/** Processes that run together on one node. */
export interface Pod extends KubeObject {
  readonly spec?: PodSpec;
  readonly status?: { readonly phase?: "Failed" | "Pending" | "Running" | "Succeeded" | "Unknown" };
}

export const Pod: Kind<Pod> = defineKind<Pod>({
  group: "",
  version: "v1",
  plural: "pods",
  kind: "Pod",
  scope: "Namespaced",
});

/** How Pods are made. */
export interface PodTemplate {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec: PodSpec;
}

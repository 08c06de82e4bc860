/** Kinds of apps/v1 that run Pods. */

import { defineKind, type Kind, type KubeObject } from "../kube/index.ts";
import type { PodTemplate } from "./pods.ts";
import type { LabelSelector } from "./selector.ts";

/** A number of Pods of one kind, replaced step by step. */
export interface Deployment extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector: LabelSelector;
    readonly template: PodTemplate;
    readonly strategy?: {
      readonly type?: "Recreate" | "RollingUpdate";
      readonly rollingUpdate?: {
        readonly maxSurge?: number | string;
        readonly maxUnavailable?: number | string;
      };
    };
  };
}

export const Deployment: Kind<Deployment> = defineKind<Deployment>({
  group: "apps",
  version: "v1",
  plural: "deployments",
  kind: "Deployment",
  scope: "Namespaced",
});

/** One Pod on each node. */
export interface DaemonSet extends KubeObject {
  readonly spec?: {
    readonly selector: LabelSelector;
    readonly template: PodTemplate;
    readonly updateStrategy?: {
      readonly type?: "OnDelete" | "RollingUpdate";
      readonly rollingUpdate?: { readonly maxUnavailable?: number | string };
    };
  };
}

export const DaemonSet: Kind<DaemonSet> = defineKind<DaemonSet>({
  group: "apps",
  version: "v1",
  plural: "daemonsets",
  kind: "DaemonSet",
  scope: "Namespaced",
});

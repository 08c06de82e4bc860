/** Kinds that say which Pods go first, and how many may go at once. */

import { defineKind, type Kind, type KubeObject } from "../kube/index.ts";
import type { LabelSelector } from "./selector.ts";

/** How important Pods are. */
export interface PriorityClass extends KubeObject {
  readonly value: number;
  readonly preemptionPolicy?: string;
  readonly description?: string;
}

export const PriorityClass: Kind<PriorityClass> = defineKind<PriorityClass>({
  group: "scheduling.k8s.io",
  version: "v1",
  plural: "priorityclasses",
  kind: "PriorityClass",
  scope: "Cluster",
});

/** How many Pods may be away at a time; numbers or percentages. */
export interface PodDisruptionBudget extends KubeObject {
  readonly spec?: {
    readonly minAvailable?: number | string;
    readonly maxUnavailable?: number | string;
    readonly selector?: LabelSelector;
  };
}

export const PodDisruptionBudget: Kind<PodDisruptionBudget> = defineKind<PodDisruptionBudget>({
  group: "policy",
  version: "v1",
  plural: "poddisruptionbudgets",
  kind: "PodDisruptionBudget",
  scope: "Namespaced",
});

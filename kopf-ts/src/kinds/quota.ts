/** Kinds of the core group that bound what a namespace uses. */

import { defineKind, type Kind, type KubeObject } from "../kube/index.ts";

/** Amounts by name of the resource (cpu, requests.memory, pods, ...), as Kubernetes quantities. */
export type ResourceAmounts = Readonly<Record<string, string>>;

/** The most that all objects of a namespace may use together. */
export interface ResourceQuota extends KubeObject {
  readonly spec?: {
    readonly hard?: ResourceAmounts;
    readonly scopes?: readonly string[];
  };
  /** Written by the controller manager. */
  readonly status?: { readonly hard?: ResourceAmounts; readonly used?: ResourceAmounts };
}

export const ResourceQuota: Kind<ResourceQuota> = defineKind<ResourceQuota>({
  group: "",
  version: "v1",
  plural: "resourcequotas",
  kind: "ResourceQuota",
  scope: "Namespaced",
});

/** What containers, Pods or claims of a namespace get that say nothing themselves, and what they may say. */
export interface LimitRange extends KubeObject {
  readonly spec?: { readonly limits?: readonly LimitRangeItem[] };
}

/** The bounds of one type of object. */
export interface LimitRangeItem {
  readonly type: string;
  /** Limits of a container that names none. */
  readonly default?: ResourceAmounts;
  /** Requests of a container that names none. */
  readonly defaultRequest?: ResourceAmounts;
  readonly max?: ResourceAmounts;
  readonly min?: ResourceAmounts;
  readonly maxLimitRequestRatio?: ResourceAmounts;
}

export const LimitRange: Kind<LimitRange> = defineKind<LimitRange>({
  group: "",
  version: "v1",
  plural: "limitranges",
  kind: "LimitRange",
  scope: "Namespaced",
});

/** Kinds of the core group, as far as operators look into them. */

import { defineKind, type Kind, type KubeObject } from "../kube/index.ts";

/** Confines names, and is deleted with all that is in it. */
export interface Namespace extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: "Active" | "Terminating" };
}

export const Namespace: Kind<Namespace> = defineKind<Namespace>({
  group: "",
  version: "v1",
  plural: "namespaces",
  kind: "Namespace",
  scope: "Cluster",
});

/** Small confidential data; values are base64. */
export interface Secret extends KubeObject {
  readonly type?: string;
  readonly immutable?: boolean;
  readonly data?: Readonly<Record<string, string>>;
  /** Write-only: plain texts that the API server moves into `data`. */
  readonly stringData?: Readonly<Record<string, string>>;
}

export const Secret: Kind<Secret> = defineKind<Secret>({
  group: "",
  version: "v1",
  plural: "secrets",
  kind: "Secret",
  scope: "Namespaced",
});

/** Small data that everybody may know. */
export interface ConfigMap extends KubeObject {
  readonly immutable?: boolean;
  readonly data?: Readonly<Record<string, string>>;
  /** Values are base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
}

export const ConfigMap: Kind<ConfigMap> = defineKind<ConfigMap>({
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  scope: "Namespaced",
});

/** Who a process in the cluster is. */
export interface ServiceAccount extends KubeObject {
  readonly secrets?: readonly { readonly name?: string }[];
  readonly imagePullSecrets?: readonly { readonly name?: string }[];
  readonly automountServiceAccountToken?: boolean;
}

export const ServiceAccount: Kind<ServiceAccount> = defineKind<ServiceAccount>({
  group: "",
  version: "v1",
  plural: "serviceaccounts",
  kind: "ServiceAccount",
  scope: "Namespaced",
});

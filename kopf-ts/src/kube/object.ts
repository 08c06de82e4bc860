/** The shapes every Kubernetes object shares. All are deeply read-only: cached objects are shared. */

/** Points from a dependent to the object that owns it. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Standard object metadata, as the API server sends it. Times are RFC 3339 strings. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly generateName?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly unknown[];
}

/** Any Kubernetes object. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** Metadata alone, as served for `as=PartialObjectMetadata`. */
export type PartialObject = KubeObject;

/** Names one object of a known apiVersion and kind; uid and resourceVersion become preconditions where a verb has them. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
}

/** What the scale subresource of a Deployment, a custom object and others reads and writes: autoscaling/v1. */
export interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  /** `selector` finds the Pods, in the form of a labelSelector. */
  readonly status?: { readonly replicas?: number; readonly selector?: string };
}

/** A condition as in metav1; Norman's older shape adds lastUpdateTime. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

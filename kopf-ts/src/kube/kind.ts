import type { KubeObject, ObjectRef } from "./object.ts";

/** Whether objects of a kind live in a namespace. */
export type Scope = "Namespaced" | "Cluster";

declare const objectType: unique symbol;

/** A kind as data: where the API server serves it and which TypeScript type its objects have. */
export interface Kind<T extends KubeObject = KubeObject> {
  /** API group; the empty string is the core group. */
  readonly group: string;
  readonly version: string;
  /** Resource name in paths, for example `configmaps`. */
  readonly plural: string;
  readonly kind: string;
  readonly scope: Scope;
  /** Carries T for inference; never present at run time. */
  readonly [objectType]?: T;
}

/** Declares a kind; `T` is the type its objects have. */
export function defineKind<T extends KubeObject = KubeObject>(
  kind: Pick<Kind, "group" | "version" | "plural" | "kind" | "scope">,
): Kind<T> {
  return Object.freeze({ ...kind });
}

/** The apiVersion of a kind's objects: `v1` or `apps/v1`. */
export function apiVersionOf(kind: Pick<Kind, "group" | "version">): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}

/** `pods` or `deployments.apps`: names the resource in logs, metrics and CRD names. */
export function resourceName(kind: Pick<Kind, "group" | "plural">): string {
  return kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
}

/** A reference to an object that need not be at hand. */
export function refTo(kind: Kind, name: string, namespace?: string): ObjectRef {
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: namespace === undefined ? { name } : { name, namespace },
  };
}

/** `namespace/name`, or `name` for an object outside namespaces: the key under which caches and queues know it. */
export function keyOf(object: ObjectRef): string {
  const { name, namespace } = object.metadata;
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

/** Splits a key into its parts; the reverse of keyOf. */
export function parseKey(key: string): { readonly name: string; readonly namespace?: string } {
  const slash = key.indexOf("/");
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/**
 * How a member of an applied set is recognised. Label and annotations are wrangler's (wrangler: pkg/apply/desiredset_apply.go), so
 * that tools made for Rancher find our objects and we find those that Rancher made; the hash is computed the same way.
 */

import { createHash } from "node:crypto";
import type { KubeObject, ObjectRef } from "../kube/index.ts";

/** Label on every member: hash of the set's id and owner; what pruning and the set index look for. */
export const setLabel = "objectset.rio.cattle.io/hash";
/** Label that, with the value `false`, keeps a member from being pruned. */
export const pruneLabel = "objectset.rio.cattle.io/prune";
/** Annotations that say in words what the label hashes. */
export const setAnnotations = {
  id: "objectset.rio.cattle.io/id",
  ownerGvk: "objectset.rio.cattle.io/owner-gvk",
  ownerName: "objectset.rio.cattle.io/owner-name",
  ownerNamespace: "objectset.rio.cattle.io/owner-namespace",
} as const;
/** Annotation of ours: which object the marks were made for, and a hash of what was applied to it last. */
export const appliedAnnotation = "kopf-ts.dev/applied";

/** Names the set: `id` tells apart several sets of one owner. */
export interface SetIdentity {
  /** Has no `@`. */
  readonly id: string;
  readonly owner?: ObjectRef | undefined;
  /** Tells apart the sets that owners of one name have in several clusters: the name of the cluster, or nothing. */
  readonly scope?: string | undefined;
}

/** Between a set's id and its scope. */
const at = "@";

/** What a set writes on its members, without the applied annotation. */
export interface Marks {
  readonly hash: string;
  readonly annotations: Readonly<Record<string, string>>;
}

type Names = { readonly [K in keyof typeof setAnnotations]?: string | undefined };

/** The marks of a set. Throws a TypeError for an id that could be read as another one with a scope. */
export function marksOf({ id: plain, owner, scope }: SetIdentity): Marks {
  if (plain.includes(at)) throw new TypeError(`the id of a set has no ${at}: ${plain}`);
  const id = scope === undefined ? plain : `${plain}${at}${scope}`;
  if (owner === undefined)
    return { hash: setHash({ id }), annotations: { [setAnnotations.id]: id } };
  const names = {
    id,
    ownerGvk: gvkOf(owner),
    ownerName: owner.metadata.name,
    ownerNamespace: owner.metadata.namespace ?? "",
  };
  return {
    hash: setHash(names),
    annotations: {
      [setAnnotations.id]: names.id,
      [setAnnotations.ownerGvk]: names.ownerGvk,
      [setAnnotations.ownerName]: names.ownerName,
      [setAnnotations.ownerNamespace]: names.ownerNamespace,
    },
  };
}

/**
 * The hash of the set that an object belongs to. A label alone proves nothing: Kubernetes copies a Service's labels to its Endpoints,
 * and people copy whole objects to other namespaces; so the annotations must hash to the label and the applied annotation, where there
 * is one, must have been made for this very object.
 */
export function claimOf(object: KubeObject): string | undefined {
  const hash = object.metadata.labels?.[setLabel];
  if (hash === undefined) return undefined;
  const annotations = object.metadata.annotations ?? {};
  if (setHash(namesIn(annotations)) !== hash) return undefined;
  const applied = annotations[appliedAnnotation];
  return applied === undefined || applied.startsWith(`${identityOf(object)}.`) ? hash : undefined;
}

/** The set in words, for messages. */
export function describeSet(object: KubeObject): string {
  const { id, ownerGvk, ownerName, ownerNamespace } = namesIn(object.metadata.annotations ?? {});
  if (ownerName === undefined) return `set ${id}`;
  const key = ownerNamespace ? `${ownerNamespace}/${ownerName}` : ownerName;
  return `set ${id} of ${ownerGvk} ${key}`;
}

/**
 * The owner named by a member's marks, where there is one; finds it also where no ownerReference can point. Only marks of that scope count: an
 * owner of the same name in another hub is another one.
 */
export function markedOwnerOf(object: KubeObject, scope?: string): ObjectRef | undefined {
  if (claimOf(object) === undefined || scopeOf(object) !== scope) return undefined;
  const { ownerGvk, ownerName, ownerNamespace } = namesIn(object.metadata.annotations ?? {});
  const gvk = /^([^/]*)\/([^,]+), Kind=(.+)$/.exec(ownerGvk ?? "");
  const [, group, version, kind] = gvk ?? [];
  if (version === undefined || kind === undefined || ownerName === undefined) return undefined;
  return {
    apiVersion: group ? `${group}/${version}` : version,
    kind,
    metadata: ownerNamespace ? { name: ownerName, namespace: ownerNamespace } : { name: ownerName },
  };
}

function scopeOf({ metadata: { annotations = {} } }: KubeObject): string | undefined {
  const { id = "" } = namesIn(annotations);
  const end = id.indexOf(at);
  return end < 0 ? undefined : id.slice(end + at.length);
}

/** The index that caches of member kinds need, so that pruning finds members without reading every object. */
export const setIndex: {
  readonly name: string;
  readonly of: (object: KubeObject) => readonly string[];
} = {
  name: setLabel,
  of: (object) => {
    const hash = object.metadata.labels?.[setLabel];
    return hash === undefined ? [] : [hash];
  },
};

/** The applied annotation's value for an object with the given content. */
export function appliedValue(object: KubeObject, content: string): string {
  return `${identityOf(object)}.${content}`;
}

function identityOf({ apiVersion, kind, metadata }: KubeObject): string {
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  const text = [group, kind, metadata.namespace ?? "", metadata.name].join("/");
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

function namesIn(annotations: Readonly<Record<string, string>>): Names {
  return {
    id: annotations[setAnnotations.id],
    ownerGvk: annotations[setAnnotations.ownerGvk],
    ownerName: annotations[setAnnotations.ownerName],
    ownerNamespace: annotations[setAnnotations.ownerNamespace],
  };
}

/** As wrangler does it: SHA-1 over the four values one after the other (wrangler: pkg/apply/desiredset_apply.go, objectSetHash). */
function setHash({ id, ownerGvk, ownerName, ownerNamespace }: Names): string {
  const text = [id, ownerGvk, ownerName, ownerNamespace].map((part) => part ?? "").join("");
  return createHash("sha1").update(text).digest("hex");
}

/** `group/version, Kind=kind`, with an empty group for core kinds, as Go prints a GroupVersionKind. */
function gvkOf({ apiVersion, kind }: ObjectRef): string {
  const groupVersion = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
  return `${groupVersion}, Kind=${kind}`;
}

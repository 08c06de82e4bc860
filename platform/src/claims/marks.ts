/**
 * How a shared object names its owners: one annotation each, beside the label by which Rancher knows them. The label alone does not tell owners of one name
 * in several projects or hubs apart. Pure.
 */

import { createHash } from "node:crypto";
import { type Kind, type KubeObject, keyOf } from "kopf-ts";

/** An owner of shared objects. */
export interface Claimant {
  readonly kind: Kind;
  /** The cluster that the objects are in, as the owner's hub calls it. */
  readonly cluster: string;
  /** `namespace/name`, or `name`. */
  readonly key: string;
  /** Rancher's label, with value "true". */
  readonly label?: string | undefined;
}

/** What an annotation says. */
export interface Claim {
  /** Of the annotation. */
  readonly name: string;
  readonly value: string;
  readonly kind: string;
  readonly cluster: string;
  readonly key: string;
  readonly label: string | undefined;
}

const prefix = "claim.drover.dev/";

/** The annotation by which the claimant has the object. */
export function claimOn(object: KubeObject, { kind, cluster, key, label }: Claimant): Claim {
  const value = [kind.kind, cluster, key, ...(label === undefined ? [] : [label])].join(" ");
  return { name: nameFor(object, value), value, kind: kind.kind, cluster, key, label };
}

/** Whether the claimant has the object, under its label. */
export function isClaimedBy(object: KubeObject, claimant: Claimant): boolean {
  const { name, value } = claimOn(object, claimant);
  return object.metadata.annotations?.[name] === value;
}

/** All claims on an object. One that was copied with another object's annotations is none. */
export function claimsOn(object: KubeObject): readonly Claim[] {
  return Object.entries(object.metadata.annotations ?? {}).flatMap(([name, value]) => {
    if (!name.startsWith(prefix) || name !== nameFor(object, value)) return [];
    const [kind, cluster, key, label] = value.split(" ");
    if (kind === undefined || cluster === undefined || key === undefined) return [];
    return [{ name, value, kind, cluster, key, label }];
  });
}

/** Keys of the claimants of one kind; for `related`. */
export function claimantsOf(object: KubeObject, kind: Kind, cluster: string): readonly string[] {
  return claimsOn(object)
    .filter((claim) => claim.kind === kind.kind && claim.cluster === cluster)
    .map(({ key }) => key);
}

/** Finds what somebody claims, by `claimValue`. */
export const claimIndex: {
  readonly name: string;
  readonly of: (object: KubeObject) => readonly string[];
} = {
  name: "drover.claims",
  of: (object) => claimsOn(object).map(({ kind, cluster, key }) => [kind, cluster, key].join(" ")),
};

/** What the index has for a claimant. */
export function claimValue({ kind, cluster, key }: Omit<Claimant, "label">): string {
  return [kind.kind, cluster, key].join(" ");
}

/** Depends on the object too, so that annotations that were copied to another one claim nothing. */
function nameFor(object: KubeObject, value: string): string {
  const text = `${object.kind} ${keyOf(object)} ${value}`;
  return `${prefix}${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
}

/** Which ResourceQuota or LimitRange of a namespace is the one that its project gives it. Pure. */

import { createHash } from "node:crypto";
import { defaultQuotaLabel } from "@drover/crds";
import { claimOf, type KubeObject, marksOf, type Owned, refTo, setIndex } from "kopf-ts";
import { Namespace } from "kopf-ts/kinds";

/** As Rancher has the API server complete names (rancher: pkg/controllers/managementuser/resourcequota). */
const prefix = "default-";
/** What the API server completes them with: nothing that spells a word. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** Name of the index that finds what may be a namespace's default objects. */
export const defaultsIndex = "default-objects.namespace";

/** What annotations that say whose an object is begin with. */
const marks = "objectset.rio.cattle.io/";

/** Indexes that the caches of these kinds need. */
export const defaultsForm: Required<Pick<Owned, "indexes">> = {
  indexes: {
    [setIndex.name]: setIndex.of,
    [defaultsIndex]: ({ metadata: { labels, annotations = {}, namespace = "" } }) =>
      labels?.[defaultQuotaLabel] !== undefined ||
      Object.keys(annotations).some((key) => key.startsWith(marks))
        ? [namespace]
        : [],
  },
};

/** Whose default objects: the field manager of the concern, and the scope of its client's sets. */
export interface DefaultSet {
  readonly id: string;
  readonly scope?: string | undefined;
}

/**
 * Whether it is a default object of its namespace: it bears the marks of this set, even when somebody took its labels away, or Rancher's label and the beginning of a
 * name that the API server completed. Who writes the label on an object of their own, under a name of their own, keeps it.
 */
export function isDefaultObject(object: KubeObject, set: DefaultSet): boolean {
  const { labels, generateName, namespace = "" } = object.metadata;
  const { hash } = marksOf({ ...set, owner: refTo(Namespace, namespace) });
  const claim = claimOf(object) ?? claimOf(labelled(object, hash));
  if (claim !== undefined) return claim === hash;
  return labels?.[defaultQuotaLabel] === "true" && generateName === prefix;
}

/** As it was before somebody took the label of the set away. */
function labelled(object: KubeObject, hash: string): KubeObject {
  const labels = { ...object.metadata.labels, [setIndex.name]: hash };
  return { ...object, metadata: { ...object.metadata, labels } };
}

/** Of several default objects, the one to keep and those that are too many. */
export interface Choice<T extends KubeObject> {
  readonly kept: T | undefined;
  readonly surplus: readonly T[];
}

/** Keeps the oldest; what is being deleted does not count. Whoever chooses, chooses the same. */
export function chosen<T extends KubeObject>(candidates: readonly T[]): Choice<T> {
  const standing = candidates.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const [kept, ...surplus] = standing.toSorted(byAge);
  return { kept, surplus };
}

/**
 * The name of a new one. It follows from the namespace, so that two who make it at once make one object; the first of a few that nobody has.
 */
export function defaultName(namespace: string, isTaken: (name: string) => boolean): string {
  for (let attempt = 0; ; attempt++) {
    const name = `${prefix}${suffix(`${namespace}/${attempt}`)}`;
    if (!isTaken(name)) return name;
  }
}

function suffix(text: string): string {
  const bytes = createHash("sha256").update(text).digest().subarray(0, 5);
  return [...bytes].map((byte) => alphabet.charAt(byte % alphabet.length)).join("");
}

function byAge({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  const key = ({ creationTimestamp = "", name }: typeof a): string =>
    `${creationTimestamp} ${name}`;
  return key(a) < key(b) ? -1 : 1;
}

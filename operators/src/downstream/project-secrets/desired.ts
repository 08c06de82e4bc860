/** Copies of a project's Secrets. Pure. */

import { isDeepStrictEqual } from "node:util";
import {
  annotations,
  backingNamespaceOf,
  type Project,
  parseProjectId,
  projectKeyOf,
  projectNames,
  projectSecretAnnotations,
  projectSecretLabels,
} from "@drover/crds";
import { type KubeObject, type ObjectMeta, refTo } from "kopf-ts";
import { Secret } from "kopf-ts/kinds";
import { finderOf } from "./pattern.ts";

/** Says of its object what kubectl applied, with all data of the Secret, and means nothing on a copy. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** Keys of the Project that a source, or a copy, says it is of. */
export function ownerOf({ metadata: { labels } }: KubeObject): readonly string[] {
  const { [projectSecretLabels.cluster]: cluster, [projectSecretLabels.project]: project } =
    labels ?? {};
  return cluster && project ? [`${cluster}/${project}`] : [];
}

/** Key of the Project that a namespace is in. */
export function memberOf({ metadata }: KubeObject): readonly string[] {
  const id = parseProjectId(metadata.annotations?.[annotations.projectId] ?? "");
  return id === undefined ? [] : [projectKeyOf(id)];
}

/** Whether a Secret is ours to change and to delete. Labels alone prove nothing: people copy them. */
export function isCopy({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[projectSecretAnnotations.copy] === "true";
}

/** Whether both say that they are of the same project. */
export function isOfSame({ metadata: one }: KubeObject, { metadata: other }: KubeObject): boolean {
  const { project } = projectSecretLabels;
  return one.labels?.[project] === other.labels?.[project];
}

/** Whether a Secret is one that Kubernetes itself keeps: it deletes those whose account is missing, and writes another token into the others. */
export function isAccountToken({ type }: Secret): boolean {
  return type === "kubernetes.io/service-account-token";
}

/** Keys that the source of a copy in a cluster may have: one, or where its Project is no more, that in either namespace that a project may have had. */
export function sourceKeysOf(
  { metadata: { name, labels } }: KubeObject,
  cluster: string,
  find: (key: string) => Project | undefined,
): readonly string[] {
  const project = labels?.[projectSecretLabels.project];
  if (!project) return [];
  const known = find(`${cluster}/${project}`);
  const namespaces =
    known === undefined
      ? [projectNames.backingNamespace(cluster, project), project]
      : [backingNamespaceOf(known)];
  return namespaces.map((namespace) => `${namespace}/${name}`);
}

/** Whether a source wants no copy in a namespace: by name, or where an entry contains `*`, by a pattern that is found in the name. */
export function ignores(source: KubeObject): (namespace: string) => boolean {
  const text = source.metadata.annotations?.[projectSecretAnnotations.ignoreNamespaces] ?? "";
  const tests = text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .map((entry) => {
      const found = entry.includes("*") ? finderOf(entry) : undefined;
      return found ?? ((name: string) => name === entry);
    });
  return (namespace) => tests.some((test) => test(namespace));
}

/** The copy of a source in a namespace. */
export function copyOf({ metadata, type, data, immutable }: Secret, namespace: string): Secret {
  const { [lastApplied]: _, ...carried } = metadata.annotations ?? {};
  const marks = {
    [projectSecretAnnotations.copy]: "true",
    [projectSecretAnnotations.userSecret]: "true",
  };
  return {
    ...refTo(Secret, metadata.name, namespace),
    metadata: {
      name: metadata.name,
      namespace,
      labels: metadata.labels ?? {},
      annotations: { ...carried, ...marks },
    },
    ...(type !== undefined && { type }),
    ...(data !== undefined && { data }),
    ...(immutable === true && { immutable }),
  };
}

/** What to do about a copy that is there. */
export type Remedy = "none" | "update" | "replace";

/** A type never changes, and what is immutable stays; then only another Secret will do. */
export function remedyFor(live: Secret, wanted: Secret): Remedy {
  const sameContent =
    isDeepStrictEqual(live.data ?? {}, wanted.data ?? {}) &&
    (live.immutable ?? false) === (wanted.immutable ?? false);
  const frozen = live.immutable === true && !sameContent;
  if ((live.type ?? "Opaque") !== (wanted.type ?? "Opaque") || frozen) return "replace";
  const of = ({ labels, annotations }: ObjectMeta) => [labels ?? {}, annotations ?? {}];
  const isSame = sameContent && isDeepStrictEqual(of(live.metadata), of(wanted.metadata));
  return isSame ? "none" : "update";
}

/** The copy as an update of what is there, in the version that was looked at; finalizers and owners stay. */
export function updated({ metadata: live }: Secret, wanted: Secret): Secret {
  const { labels, annotations } = wanted.metadata;
  return {
    ...wanted,
    metadata: { ...live, labels: labels ?? {}, annotations: annotations ?? {} },
  };
}

/** What a namespace's annotations say of quotas, and what they should. Pure. */

import {
  annotations,
  type NamespaceConditionUpdate,
  namespaceAnnotations,
  namespaceConditionTypes,
  namespaceStatus,
  parseProjectId,
  projectKeyOf,
  type ResourceQuotaLimit,
  withoutNamespaceConditions,
} from "@drover/crds";
import type { KubeObject } from "kopf-ts";
import { type Hard, hardOf, limitOf } from "./limits.ts";

const { resourceQuota, resourceQuotaProjectId, status } = namespaceAnnotations;
const { resourceQuotaInit, resourceQuotaValidated } = namespaceConditionTypes;

/** What a namespace asks for. */
export interface Request {
  readonly limit: Hard;
  /** Whether the annotation is there at all; what does not ask is told its share in it. */
  readonly isMade: boolean;
  /** Whether the annotation can be read. */
  readonly isReadable: boolean;
}

/** The quota that the annotation asks for. Norman's null counts as nothing (rancher: pkg/controllers/managementuser/resourcequota). */
export function requestOf({ metadata }: KubeObject): Request {
  const text = metadata.annotations?.[resourceQuota] ?? "";
  if (text === "" || text === "null") {
    return { limit: new Map(), isMade: false, isReadable: true };
  }
  const limit = limitIn(text);
  return { limit: hardOf(limit ?? {}), isMade: true, isReadable: limit !== undefined };
}

function limitIn(text: string): ResourceQuotaLimit | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isFields(value)) return undefined;
    const { limit = {} } = value;
    return isFields(limit) && Object.values(limit).every(isAmount) ? limit : undefined;
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text, or the texts of `extended`. */
function isAmount(value: unknown): boolean {
  if (isFields(value)) return Object.values(value).every((each) => typeof each === "string");
  return typeof value === "string";
}

/**
 * Keys of the Projects of a cluster whose sums a namespace has a part in: the one that it is in, and the one that it was counted for last, which differ while it
 * moves (rancher: pkg/controllers/managementuser/resourcequota/resource_quota_calculate_used.go).
 */
export function affectedProjects(namespace: KubeObject, cluster: string): readonly string[] {
  return [...new Set([...memberOf(namespace), ...countedFor(namespace)])].filter((key) =>
    key.startsWith(`${cluster}/`),
  );
}

/** Key of the Project that the namespace is in. */
export function memberOf({ metadata }: KubeObject): readonly string[] {
  return keysIn(metadata.annotations?.[annotations.projectId]);
}

/** Key of the Project that the namespace was counted for last. */
export function countedFor({ metadata }: KubeObject): readonly string[] {
  return keysIn(metadata.annotations?.[resourceQuotaProjectId]);
}

function keysIn(text = ""): readonly string[] {
  const id = parseProjectId(text);
  return id === undefined ? [] : [projectKeyOf(id)];
}

/** Values of annotations to set, undefined: to remove. */
export type Annotations = Readonly<Record<string, string | undefined>>;

/** How the quota of a namespace came out. */
export interface Outcome {
  /** What it asks for together with its share of what it does not ask for. */
  readonly wanted: Hard;
  /** Why it does not get that; empty: it does. */
  readonly message: string;
}

/** Annotations of a namespace whose project has a quota. What people wrote into the request stays, so that it may be kept in a repository. */
export function countedAnnotations(
  namespace: KubeObject,
  projectId: string,
  { wanted, message }: Outcome,
  now: number,
): Annotations {
  const validated = message === "" ? "True" : "False";
  const said: readonly NamespaceConditionUpdate[] = [
    { type: resourceQuotaInit, status: "True" },
    { type: resourceQuotaValidated, status: validated, message },
  ];
  return {
    ...(!requestOf(namespace).isMade && {
      [resourceQuota]: JSON.stringify({ limit: limitOf(wanted) }),
    }),
    [resourceQuotaProjectId]: projectId,
    [status]: namespaceStatus(namespace, said, now),
  };
}

/** Annotations of a namespace whose project has no quota. A request is only taken back from one that was counted, once. */
export function uncountedAnnotations(namespace: KubeObject, now: number): Annotations {
  const left = withoutNamespaceConditions(namespace, [resourceQuotaValidated]);
  const metadata = { ...namespace.metadata, annotations: { ...(left && { [status]: left }) } };
  const said = [{ type: resourceQuotaInit, status: "True" }] as const;
  return {
    ...forgotten(namespace),
    [status]: namespaceStatus({ ...namespace, metadata }, said, now),
  };
}

/** Annotations of a namespace that left every project. */
export function outsideAnnotations(namespace: KubeObject): Annotations {
  const types = [resourceQuotaInit, resourceQuotaValidated];
  return { ...forgotten(namespace), [status]: withoutNamespaceConditions(namespace, types) };
}

function forgotten(namespace: KubeObject): Annotations {
  const isCounted = namespace.metadata.annotations?.[resourceQuotaProjectId] !== undefined;
  return isCounted ? { [resourceQuota]: undefined, [resourceQuotaProjectId]: undefined } : {};
}

/** The merge patch that makes the annotations be so, in the very version that was looked at; undefined when they are. */
export function annotationsPatch(
  { metadata }: KubeObject,
  wanted: Annotations,
): { readonly metadata: unknown } | undefined {
  const changed = Object.entries(wanted).filter(
    ([key, value]) => metadata.annotations?.[key] !== value,
  );
  if (changed.length === 0) return undefined;
  const { resourceVersion } = metadata;
  const values = Object.fromEntries(changed.map(([key, value]) => [key, value ?? null]));
  return { metadata: { resourceVersion, annotations: values } };
}

/** Annotations and labels of a namespace that decide over more than itself (webhook: pkg/resources/core/v1/namespace). */

import { annotations } from "@drover/crds";
import type { KubeObject, ObjectMeta } from "kopf-ts";
import { limitsProblem } from "../container-limits.ts";
import { containerLimitAnnotation } from "../names.ts";
import type { Problem } from "../verdicts.ts";

/** Labels by which Kubernetes decides how far Pods are secured. */
export const podSecurityLabels: readonly string[] = ["enforce", "audit", "warn"].flatMap((mode) => [
  `pod-security.kubernetes.io/${mode}`,
  `pod-security.kubernetes.io/${mode}-version`,
]);

/** The annotation of a namespace that a change puts into a project; undefined for one that stays where it is or leaves. */
export function newProjectId(
  { metadata: after }: KubeObject,
  before: KubeObject | undefined,
): string | undefined {
  const wanted = after.annotations?.[annotations.projectId] ?? "";
  const had = before?.metadata.annotations?.[annotations.projectId];
  return wanted === "" || wanted === had ? undefined : wanted;
}

/** Whether a change sets, changes or removes a label of Pod security. */
export function changesPodSecurity(after: KubeObject, before: KubeObject | undefined): boolean {
  const of = (metadata: ObjectMeta | undefined, label: string) => metadata?.labels?.[label];
  return podSecurityLabels.some(
    (label) => of(after.metadata, label) !== of(before?.metadata, label),
  );
}

/** What is wrong with the limits of containers that a change sets. */
export function containerLimitProblem(after: KubeObject, before: KubeObject | undefined): Problem {
  const wanted = after.metadata.annotations?.[containerLimitAnnotation] ?? "";
  const had = before?.metadata.annotations?.[containerLimitAnnotation];
  if (wanted === "" || wanted === had) return undefined;
  const path = `annotation ${containerLimitAnnotation}`;
  const limits = parseObject(wanted);
  return limits === undefined
    ? `${path} must be a JSON object`
    : limitsProblem(limits, (field) => `${field} in ${path}`);
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? { ...value }
      : undefined;
  } catch {
    return undefined;
  }
}

/** What a Cluster may say (webhook: pkg/resources/management.cattle.io/v3/cluster). Fields that stay as they were are not judged. */

import { isDeepStrictEqual } from "node:util";
import { annotations, type Cluster, type ClusterSpec } from "@drover/crds";
import { administratedAnnotation, versionManagementAnnotation } from "../names.ts";
import type { Problem } from "../verdicts.ts";
import { affinityProblem, tolerationsProblem } from "./pods.ts";
import { budgetProblem } from "./scheduling.ts";

/** The fleet workspace that a change newly puts the cluster in; undefined when it does not. */
export function newWorkspace(after: Cluster, before: Cluster | undefined): string | undefined {
  const wanted = after.spec?.fleetWorkspaceName ?? "";
  return wanted === "" || wanted === before?.spec?.fleetWorkspaceName ? undefined : wanted;
}

/** The Secret with a kubeconfig that a change newly names; undefined when it names none, or the same. */
export function newKubeconfig(after: Cluster, before: Cluster | undefined): string | undefined {
  const nameIn = (cluster: Cluster | undefined): string =>
    cluster?.metadata.annotations?.[annotations.kubeconfigSecret] ?? "";
  const wanted = nameIn(after);
  return wanted === "" || wanted === nameIn(before) ? undefined : wanted;
}

/** Without a workspace the cluster would be taken out of Fleet, probably by mistake. */
export function workspaceProblem(after: Cluster, before: Cluster | undefined): Problem {
  if (!before?.spec?.fleetWorkspaceName || after.spec?.fleetWorkspaceName) return undefined;
  return "spec.fleetWorkspaceName must not become empty";
}

/** Whether the version of a cluster can be managed from here although it was imported. */
export function isImported({ metadata, status }: Cluster): boolean {
  const administrated = metadata.annotations?.[administratedAnnotation] === "true";
  return (status?.driver === "k3s" || status?.driver === "rke2") && !administrated;
}

const versionManagement: readonly string[] = ["true", "false", "system-default"];

/** What is wrong with the annotation about version management. */
export function versionManagementProblem(after: Cluster, before: Cluster | undefined): Problem {
  const wanted = after.metadata.annotations?.[versionManagementAnnotation];
  const had = before?.metadata.annotations?.[versionManagementAnnotation];
  if (wanted === undefined || wanted === had || !isImported(after)) return undefined;
  if (versionManagement.includes(wanted)) return undefined;
  return `annotation ${versionManagementAnnotation} must be true, false or system-default`;
}

const agents = [
  "clusterAgentDeploymentCustomization",
  "fleetAgentDeploymentCustomization",
  "webhookDeploymentCustomization",
] as const satisfies readonly (keyof ClusterSpec)[];

/** What is wrong with how Deployments in the cluster shall differ from the default. */
export function customizationProblem(after: Cluster, before: Cluster | undefined): Problem {
  for (const agent of agents) {
    const wanted: Readonly<Record<string, unknown>> = { ...after.spec?.[agent] };
    if (isDeepStrictEqual(wanted, { ...before?.spec?.[agent] })) continue;
    const path = `spec.${agent}`;
    const problem =
      tolerationsProblem(`${path}.appendTolerations`, wanted.appendTolerations) ??
      affinityProblem(`${path}.overrideAffinity`, wanted.overrideAffinity) ??
      (agent === "webhookDeploymentCustomization" ? webhookProblem(path, wanted) : undefined);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function webhookProblem(path: string, wanted: Readonly<Record<string, unknown>>): Problem {
  const { replicaCount, podDisruptionBudget } = wanted;
  if (
    replicaCount !== undefined &&
    replicaCount !== null &&
    !(Number.isInteger(replicaCount) && Number(replicaCount) >= 1)
  ) {
    return `${path}.replicaCount must be a whole number of at least 1`;
  }
  if (podDisruptionBudget === undefined || podDisruptionBudget === null) return undefined;
  if (typeof podDisruptionBudget !== "object")
    return `${path}.podDisruptionBudget must be an object`;
  return budgetProblem(`${path}.podDisruptionBudget`, podDisruptionBudget);
}

/** How the Pods of agents are scheduled: PriorityClass and PodDisruptionBudget (webhook: management.cattle.io/v3/cluster/validator.go). */

import { isDeepStrictEqual } from "node:util";
import type { AgentDeploymentCustomization, Cluster, ClusterSpec } from "@drover/crds";
import type { Problem } from "../verdicts.ts";

type Scheduling = NonNullable<AgentDeploymentCustomization["schedulingCustomization"]>;

/** Feature without which nothing new may be customized. */
export const schedulingFeature = "cluster-agent-scheduling-customization";

const agents = [
  "clusterAgentDeploymentCustomization",
  "fleetAgentDeploymentCustomization",
] as const satisfies readonly (keyof ClusterSpec)[];

/** What is wrong with the scheduling of a cluster's agents; what stays as it was is not judged, and removing is always allowed. */
export function schedulingProblem(
  after: Cluster,
  before: Cluster | undefined,
  enabled: boolean,
): Problem {
  for (const agent of agents) {
    const wanted = after.spec?.[agent]?.schedulingCustomization;
    const had = before?.spec?.[agent]?.schedulingCustomization;
    const path = `spec.${agent}.schedulingCustomization`;
    const problem = changeProblem(path, wanted, had, enabled);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function changeProblem(
  path: string,
  wanted: Scheduling | undefined,
  had: Scheduling | undefined,
  enabled: boolean,
): Problem {
  const { priorityClass, podDisruptionBudget } = wanted ?? {};
  const changesClass = differs(priorityClass, had?.priorityClass);
  const changesBudget = differs(podDisruptionBudget, had?.podDisruptionBudget);
  if (!enabled && (changesClass || changesBudget)) {
    return `${path} can only be removed while feature ${schedulingFeature} is off`;
  }
  return (
    (changesClass ? priorityProblem(`${path}.priorityClass`, priorityClass) : undefined) ??
    (changesBudget ? budgetProblem(`${path}.podDisruptionBudget`, podDisruptionBudget) : undefined)
  );
}

/** Whether something is wanted that was not there. */
function differs(wanted: unknown, had: unknown): boolean {
  return wanted !== undefined && wanted !== null && !isDeepStrictEqual(wanted, had);
}

const highest = 1_000_000_000;

function priorityProblem(
  path: string,
  { value = 0, preemptionPolicy = "" }: NonNullable<Scheduling["priorityClass"]> = {},
): Problem {
  if (!Number.isInteger(value) || Math.abs(value) > highest) {
    return `${path}.value must be a whole number from -${highest} to ${highest}`;
  }
  if (["", "Never", "PreemptLowerPriority"].includes(preemptionPolicy)) return undefined;
  return `${path}.preemptionPolicy must be Never or PreemptLowerPriority`;
}

const amount = /^(\d+|(\d|[1-9]\d|100)%)$/;

/** What is wrong with a PodDisruptionBudget of any agent: a number or a percentage for one of the two; "0" beside another counts as not set. */
export function budgetProblem(
  path: string,
  budget: NonNullable<Scheduling["podDisruptionBudget"]> = {},
): Problem {
  const given = (["minAvailable", "maxUnavailable"] as const)
    .map((field) => ({ field, text: String(budget[field] ?? "") }))
    .filter(({ text }) => text !== "");
  const wrong = given.find(({ text }) => !amount.test(text));
  if (wrong !== undefined) {
    return `${path}.${wrong.field} must be a whole number of at least 0, or a percentage from 0% to 100%`;
  }
  if (given.length === 0) return `${path} must have minAvailable or maxUnavailable`;
  if (given.filter(({ text }) => text !== "0").length < 2) return undefined;
  return `${path} must not have both minAvailable and maxUnavailable`;
}

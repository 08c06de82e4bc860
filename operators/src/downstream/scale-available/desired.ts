/** How many replicas a Deployment can have, by the nodes that take its Pods (rancher: pkg/controllers/dashboard/scaleavailable). Pure. */

import { agentNames } from "@drover/crds";
import type { Deployment, Node } from "kopf-ts/kinds";

/** How many replicas are right where there are nodes enough; undefined for a Deployment that does not say so in a number above 0. */
export function wantedReplicas({ metadata }: Deployment): number | undefined {
  const text = metadata.annotations?.[agentNames.scaleAvailable] ?? "";
  return /^[1-9]\d{0,3}$/.test(text) ? Number(text) : undefined;
}

/** One for each node that may take a Pod, as many as are wanted at most and one at least; undefined for a Deployment that does not ask for it. */
export function replicasFor(
  deployment: Deployment,
  nodes: readonly Pick<Node, "metadata">[],
): number | undefined {
  const wanted = wantedReplicas(deployment);
  if (wanted === undefined) return undefined;
  const fits = placement(deployment);
  const fitting = nodes.filter(({ metadata }) => fits(metadata.labels ?? {}, metadata.name)).length;
  return Math.max(1, Math.min(wanted, fitting));
}

type Labels = Readonly<Record<string, string>>;
type Fits = (labels: Labels, name: string) => boolean;

/** As core/v1 NodeSelectorTerm, as far as it is looked at. */
interface Term {
  readonly matchExpressions?: readonly Requirement[];
  readonly matchFields?: readonly Requirement[];
}

interface Requirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: {
      readonly nodeSelectorTerms?: readonly Term[];
    };
  };
}

/** Which nodes may take its Pods by their labels: all of nodeSelector, and one of the terms of its affinity. */
function placement({ spec }: Deployment): Fits {
  const pod = spec?.template.spec;
  const selector = Object.entries(pod?.nodeSelector ?? {});
  const { nodeAffinity } = (pod?.affinity ?? {}) as Affinity; // the API server has judged its shape
  const terms = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return (labels, name) =>
    selector.every(([key, value]) => labels[key] === value) &&
    (terms === undefined || terms.some((term) => fitsTerm(term, labels, name)));
}

/** A term without any requirement fits no node. */
function fitsTerm(
  { matchExpressions = [], matchFields = [] }: Term,
  labels: Labels,
  name: string,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((each) => holds(each, labels)) &&
    matchFields.every((each) => holds(each, { "metadata.name": name }))
  );
}

const operators: Readonly<
  Record<string, (value: string | undefined, values: readonly string[]) => boolean>
> = {
  In: (value, values) => value !== undefined && values.includes(value),
  NotIn: (value, values) => value === undefined || !values.includes(value),
  Exists: (value) => value !== undefined,
  DoesNotExist: (value) => value === undefined,
  Gt: (value, [bound]) => Number(value) > Number(bound),
  Lt: (value, [bound]) => Number(value) < Number(bound),
};

function holds({ key = "", operator = "", values = [] }: Requirement, labels: Labels): boolean {
  return operators[operator]?.(labels[key], values) === true;
}

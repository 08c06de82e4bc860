/** What the nodes of a cluster come to (rancher: pkg/controllers/management/clusterstats). Pure. */

import { type ClusterStatus, type Node, type ResourceList, sumQuantities } from "@drover/crds";
import type { NormanConditionUpdate } from "kopf-ts";
import { conditions, reasons } from "./names.ts";

/** Fields of the status that this concern writes. */
export type Stats = Pick<
  ClusterStatus,
  | "nodeCount"
  | "linuxWorkerCount"
  | "windowsWorkerCount"
  | "capacity"
  | "allocatable"
  | "requested"
  | "limits"
>;

/** What is to be said of a cluster. */
export interface Summed {
  readonly fields: Stats;
  readonly told: readonly NormanConditionUpdate[];
}

/** As far as a core Node is looked at. */
interface CoreNode {
  readonly spec: {
    readonly unschedulable?: boolean;
    readonly taints?: readonly { readonly key?: string; readonly effect?: string }[];
  };
  readonly status: {
    readonly capacity?: ResourceList;
    readonly allocatable?: ResourceList;
    readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
  };
}

/**
 * Sums over the nodes that take workloads. All are counted; until it is known of each what it is for, nothing else changes, for the sums would be too small
 * and then jump.
 */
export function summed(nodes: readonly Node[]): Summed {
  const nodeCount = nodes.length;
  const unsynced = nodes.filter((node) => !hasRole(node));
  if (unsynced.length > 0) return { fields: { nodeCount }, told: notSynced(unsynced) };
  const counting = nodes.filter(takesWorkloads);
  return {
    fields: { nodeCount, ...workersOf(counting), ...resourcesOf(counting) },
    told: [
      pressure(conditions.disk, reasons.disk, "disk", counting),
      pressure(conditions.memory, reasons.memory, "memory", counting),
    ],
  };
}

function hasRole({ spec }: Node): boolean {
  return spec?.worker === true || spec?.controlPlane === true || spec?.etcd === true;
}

function notSynced(nodes: readonly Node[]): readonly NormanConditionUpdate[] {
  const message = `waiting until the roles of ${namesOf(nodes)} are known`;
  return Object.values(conditions).map((type) => ({
    type,
    status: "Unknown",
    reason: reasons.unsynced,
    message,
  }));
}

/** A worker, or a node that nothing keeps Pods from; and nobody cordoned it. */
function takesWorkloads(node: Node): boolean {
  const { spec } = coreOf(node);
  if (spec.unschedulable === true) return false;
  return node.spec?.worker === true || !(spec.taints ?? []).some(keepsAway);
}

const reservedFor: ReadonlySet<string> = new Set(
  ["controlplane", "control-plane", "etcd", "master"].map(
    (role) => `node-role.kubernetes.io/${role}`,
  ),
);

function keepsAway({ key = "", effect = "" }: { key?: string; effect?: string }): boolean {
  return reservedFor.has(key) && ["NoSchedule", "NoExecute"].includes(effect);
}

function workersOf(nodes: readonly Node[]): Pick<Stats, "linuxWorkerCount" | "windowsWorkerCount"> {
  const count = (os: string): number =>
    nodes.filter(
      ({ spec, status }) =>
        spec?.worker === true && status?.nodeLabels?.["kubernetes.io/os"] === os,
    ).length;
  return { linuxWorkerCount: count("linux"), windowsWorkerCount: count("windows") };
}

function resourcesOf(
  nodes: readonly Node[],
): Pick<Stats, "capacity" | "allocatable" | "requested" | "limits"> {
  return {
    capacity: total(nodes.map((node) => coreOf(node).status.capacity)),
    allocatable: total(nodes.map((node) => coreOf(node).status.allocatable)),
    requested: total(nodes.map(({ status }) => status?.requested)),
    limits: total(nodes.map(({ status }) => status?.limits)),
  };
}

const resources = ["cpu", "memory", "pods"] as const;

function total(lists: readonly (ResourceList | undefined)[]): ResourceList {
  const sum = (name: string): string => sumQuantities(lists.map((list) => list?.[name] ?? "0"));
  return Object.fromEntries(resources.map((name) => [name, sum(name)]));
}

function pressure(
  type: string,
  reason: string,
  what: "disk" | "memory",
  nodes: readonly Node[],
): NormanConditionUpdate {
  const pressed = nodes.filter((node) =>
    coreOf(node).status.conditions?.some((each) => each.type === reason && each.status === "True"),
  );
  if (pressed.length === 0) return { type, status: "True" };
  const message = `short of ${what}: ${namesOf(pressed)}`;
  return { type, status: "False", reason, message };
}

/** Three of them; of the others, how many. */
function namesOf(nodes: readonly Node[]): string {
  const names = nodes.map(({ metadata, status }) => status?.nodeName || metadata.name).toSorted();
  const shown = names.slice(0, 3).join(", ");
  return names.length <= 3 ? shown : `${shown} and ${names.length - 3} more`;
}

/** The parts of the core Node that the management copy carries; their shapes are Kubernetes' own. */
function coreOf({ spec, status }: Node): CoreNode {
  return {
    spec: (spec?.internalNodeSpec ?? {}) as CoreNode["spec"],
    status: (status?.internalNodeStatus ?? {}) as CoreNode["status"],
  };
}

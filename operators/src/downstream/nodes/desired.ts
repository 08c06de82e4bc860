/** What the hub keeps of a node (rancher: pkg/controllers/managementuser/nodesyncer). Pure. */

import { createHash } from "node:crypto";
import {
  base32,
  isClusterFinalizer,
  lifecycleNames,
  Node,
  type NodeSpec,
  type NodeStatus,
  type NormanCondition,
  nodeNames,
  parseQuantity,
  type ResourceList,
  safeConcatName,
} from "@drover/crds";
import { apiVersionOf, mergePatch } from "kopf-ts";
import type { Node as CoreNode } from "kopf-ts/kinds";

/** What a management Node says of the node that it stands for. */
export interface Mirrored {
  readonly metadata: Pick<Node["metadata"], "labels" | "annotations">;
  readonly spec: NodeSpec;
  readonly status: NodeStatus;
}

/** The node that a management Node stands for; undefined for one that says nothing of any. */
export function nodeOf({ metadata, spec, status }: Node): string | undefined {
  return (
    status?.nodeName ||
    metadata.labels?.[nodeNames.nodeLabel] ||
    spec?.requestedHostname ||
    undefined
  );
}

/** Whether it follows a node, and so goes with it. Others are made by people, for nodes to come. */
export function isSynced({ metadata }: Node): boolean {
  return metadata.annotations?.[nodeNames.synced] !== undefined;
}

/** Whether one was made for a node (`wanted`) and says now that it stands for another one, or for none. */
export function isAstray(live: Node, wanted: Node): boolean {
  const { metadata, spec } = live;
  const isMade = isSynced(live) || spec?.requestedHostname === wanted.spec?.requestedHostname;
  const isStanding = metadata.deletionTimestamp === undefined;
  return isMade && isStanding && nodeOf(live) !== nodeOf(wanted);
}

/** What is left of the finalizers of a Node without those of a Rancher's controllers; undefined where it has none of these. */
export function othersFinalizers(
  { metadata: { finalizers = [] } }: Node,
  cluster: string,
): readonly string[] | undefined {
  const others = finalizers.filter(
    (each) => each !== ranchers && !isClusterFinalizer(each, cluster),
  );
  return others.length === finalizers.length ? undefined : others;
}

/** (rancher: pkg/controllers/management/node) */
const ranchers = lifecycleNames("node-controller").finalizer;

/** Whether a setting, a list with commas, names the node. */
export function isIgnored(node: string, setting: string): boolean {
  return setting
    .split(",")
    .map((name) => name.trim())
    .includes(node);
}

/** The management Node as it is made. Its name follows from the node's, so that two who make it at once make only one. */
export function newNode(node: CoreNode, cluster: string): Node {
  const { metadata, spec, status } = mirrored(node, undefined);
  const { name } = node.metadata;
  const hash = base32(createHash("sha256").update(name).digest()).slice(0, 10).toLowerCase();
  return {
    apiVersion: apiVersionOf(Node),
    kind: Node.kind,
    metadata: { ...metadata, name: `${nodeNames.prefix}${hash}`, namespace: cluster },
    spec: { ...spec, imported: true, requestedHostname: name },
    status,
  };
}

/** The merge patch that makes a management Node say what the node is, in the very version that was looked at; undefined where it does. */
export function nodePatch(stored: Node, node: CoreNode): object | undefined {
  const { metadata, spec, status } = mirrored(node, stored);
  const { labels, annotations, uid, resourceVersion } = stored.metadata;
  const from = { metadata: { labels, annotations }, spec: stored.spec, status: stored.status };
  const to = {
    metadata: {
      labels: { ...labels, ...metadata.labels },
      annotations: { ...annotations, ...metadata.annotations },
    },
    spec: { ...stored.spec, ...spec },
    status: { ...stored.status, ...status },
  };
  const change = mergePatch(from, to);
  if (change === undefined) return undefined;
  const changed = change as { readonly metadata?: object }; // a patch of an object is one
  return { ...changed, metadata: { ...changed.metadata, uid, resourceVersion } };
}

/** What follows from the node; conditions of others stay as they are. */
function mirrored(node: CoreNode, stored: Node | undefined): Mirrored {
  const { name, labels = {}, annotations = {} } = node.metadata;
  const { [nodeNames.podRequests]: requests, [nodeNames.podLimits]: limits, ...rest } = annotations;
  return {
    metadata: {
      labels: { [nodeNames.nodeLabel]: safeConcatName(name) },
      annotations: { [nodeNames.synced]: "true" },
    },
    spec: { ...rolesOf(labels), internalNodeSpec: { ...node.spec } },
    status: {
      nodeName: name,
      nodeLabels: labels,
      nodeAnnotations: rest,
      nodeTaints: node.spec?.taints ?? [],
      internalNodeStatus: statusOf(node),
      requested: amountsIn(requests),
      limits: amountsIn(limits),
      conditions: conditionsOf(node, stored?.status?.conditions),
    },
  };
}

/** By the labels of the roles; a node without any works. */
export function rolesOf(
  labels: Readonly<Record<string, string>>,
): Required<Pick<NodeSpec, "etcd" | "controlPlane" | "worker">> {
  const has = (role: string): boolean => labels[`node-role.kubernetes.io/${role}`] !== undefined;
  const etcd = has("etcd");
  const controlPlane = ["controlplane", "control-plane", "master"].some(has);
  return { etcd, controlPlane, worker: has("worker") || (!etcd && !controlPlane) };
}

/** Lists that are long and change often, and that nobody looks at here. */
const dropped = ["images", "volumesInUse", "volumesAttached", "config"];

/** Without heartbeats, or every node would be written every few minutes. */
function statusOf({ status = {} }: CoreNode): Readonly<Record<string, unknown>> {
  const kept = Object.entries(status).filter(([field]) => !dropped.includes(field));
  const conditions = status.conditions?.map((condition) =>
    Object.fromEntries(Object.entries(condition).filter(([key]) => key !== "lastHeartbeatTime")),
  );
  return { ...Object.fromEntries(kept), ...(conditions && { conditions }) };
}

/** Amounts that a node's annotation tells; what is none of them is left out. */
function amountsIn(text: string | undefined): ResourceList {
  const value = parsed(text ?? "{}");
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter(
      (entry): entry is [string, string | number] => parseQuantity(String(entry[1])) !== undefined,
    ),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Conditions of a management Node: that it is known, and what the kubelet says of it. */
function conditionsOf(
  { metadata, status }: CoreNode,
  known: readonly NormanCondition[] = [],
): readonly NormanCondition[] {
  const own: readonly NormanCondition[] = [
    ...registered(metadata.creationTimestamp),
    ...(status?.conditions ?? [])
      .filter(({ type }) => type === "Ready")
      .map(({ type, status, reason, message, lastTransitionTime: time }) => ({
        type,
        status,
        ...(reason && { reason }),
        ...(message && { message }),
        ...(time && { lastTransitionTime: time, lastUpdateTime: time }),
      })),
  ];
  const types = own.map(({ type }) => type);
  return [...known.filter(({ type }) => !types.includes(type)), ...own];
}

function registered(time: string | undefined): readonly NormanCondition[] {
  const message = "registered with kubernetes";
  const times = time && { lastTransitionTime: time, lastUpdateTime: time };
  return [{ type: "Registered", status: "True", message, ...times }];
}

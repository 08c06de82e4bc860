/** How far a cluster is on its way, and of which distribution it is (rancher: pkg/controllers/management/clusterprovisioner). Pure. */

import {
  annotations,
  type Cluster,
  type ClusterSpec,
  dataNamespace,
  type Node,
} from "@drover/crds";
import { findCondition, type NormanConditionUpdate } from "kopf-ts";
import { administrated, conditions, kubeconfigAccepted, reasons } from "./names.ts";

/** Whether somebody else provisions the cluster. */
export function isAdministrated({ metadata }: Cluster): boolean {
  return metadata.annotations?.[administrated] === "true";
}

/**
 * What is to be said of a cluster: straight through once a driver is known, which is when its agent, or a kubeconfig, told how it is reached. What was true stays
 * so, for a cluster is provisioned once.
 */
export function progressOf(cluster: Cluster): readonly NormanConditionUpdate[] {
  const first = startOf(cluster);
  if (isReachable(cluster)) return [...first, ...passed];
  const note = obstacleOf(cluster);
  const open = [conditions.pending, conditions.provisioned].filter(
    (type) => statusOf(cluster, type) !== "True",
  );
  return [...first, ...open.map((type) => ({ type, status: "Unknown", ...note }) as const)];
}

/** The server's own cluster is reached in any case. */
function isReachable({ spec, status }: Cluster): boolean {
  return spec?.internal === true || Boolean(status?.driver);
}

const passed: readonly NormanConditionUpdate[] = [
  { type: conditions.pending, status: "True" },
  { type: conditions.provisioned, status: "True" },
  { type: conditions.updated, status: "True" },
];

/** The health check takes over from here. */
function startOf(cluster: Cluster): readonly NormanConditionUpdate[] {
  if (statusOf(cluster, conditions.waiting) !== undefined) return [];
  const message = "Waiting for API to be available";
  return [{ type: conditions.waiting, status: "Unknown", reason: reasons.waitsForApi, message }];
}

function obstacleOf(cluster: Cluster): { readonly reason: string; readonly message: string } {
  const { spec = {} } = cluster;
  const cloud = clouds.find((field) => spec[field] !== undefined && spec[field] !== null);
  if (cloud !== undefined) {
    const message = `nobody here carries out spec.${cloud}: make the cluster with its cloud's own tools and import it`;
    return { reason: reasons.unsupported, message };
  }
  return { reason: reasons.waitsForImport, message: `waiting for ${missingOf(cluster)}` };
}

/** A kubeconfig that is named already is not asked for again. */
function missingOf({ metadata, status }: Cluster): string {
  const secret = metadata.annotations?.[annotations.kubeconfigSecret];
  if (!secret) {
    return `full cluster configuration: run the command of a ClusterRegistrationToken in the cluster, or name a kubeconfig by annotation ${annotations.kubeconfigSecret}`;
  }
  const told = findCondition(status?.conditions, kubeconfigAccepted);
  const why = told?.status === "False" && told.message ? `: ${told.message}` : "";
  return `the import by the kubeconfig in Secret ${dataNamespace}/${secret}${why}`;
}

const clouds = [
  "aksConfig",
  "eksConfig",
  "gkeConfig",
  "aliConfig",
] as const satisfies readonly (keyof ClusterSpec)[];

function statusOf({ status }: Cluster, type: string): string | undefined {
  return findCondition(status?.conditions, type)?.status;
}

/** On nodes of k3os. */
const k3osLabel = "k3os.io/mode";

/** Of distributions whose version says so; the first one that fits. */
const distributions = ["rancherd", "k3os", "rke2", "k3s"] as const;

/**
 * The driver once version and nodes are known; undefined where it stays as it is. Only what was imported as any cluster changes: a driver that was found out
 * says more than a version.
 */
export function driverOf(cluster: Cluster, nodes: readonly Node[]): string | undefined {
  const { driver = "", version } = cluster.status ?? {};
  if (!["imported", "local"].includes(driver) || nodes.length === 0) return undefined;
  const text = version?.gitVersion ?? "";
  const found = distributions.find((name) => text.includes(name));
  const onK3os = nodes.some(({ status }) => status?.nodeLabels?.[k3osLabel] !== undefined);
  return found === "k3s" && onK3os ? "k3os" : found;
}

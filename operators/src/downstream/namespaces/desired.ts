/** What a namespace of a cluster should say of itself (rancher: pkg/controllers/managementuser/rbac/namespace_handler.go, nsserviceaccount, nslabels). Pure. */

import {
  annotations,
  labels,
  localClusterName,
  namespaceAnnotations,
  namespaceConditions,
  namespaceConditionTypes,
  namespaceStatus,
  parseProjectId,
  projectNames,
} from "@drover/crds";
import type { Namespace } from "kopf-ts/kinds";
import { marks, noTokenAnnotation } from "./names.ts";

/** What that depends on besides the namespace. */
export interface Surroundings {
  readonly cluster: string;
  /** Names in the setting system-namespaces. */
  readonly systemNamespaces: readonly string[];
  /** Name of the project that takes in namespace `default`; undefined where there is none, or nobody can tell which of several. */
  readonly defaultProject?: string | undefined;
  /** The same of the system's namespaces. */
  readonly systemProject?: string | undefined;
}

/** The annotation that says which project the namespace is in, as it should be. */
export function projectIdFor(namespace: Namespace, around: Surroundings): string | undefined {
  const { name } = namespace.metadata;
  const found = namespace.metadata.annotations?.[annotations.projectId];
  const { cluster, systemProject, defaultProject, systemNamespaces } = around;
  const inside = (project: string | undefined): string | undefined =>
    project === undefined ? found : `${cluster}:${project}`;
  if (isFleet(namespace) && isOurs(found, cluster)) return inside(systemProject);
  if (found || isSeen(namespace)) return found;
  if (name === "default") return inside(defaultProject);
  return systemNamespaces.includes(name) ? inside(systemProject) : found;
}

const fleetNames = ["fleet-local", "fleet-default", "cattle-fleet-clusters-system"];

/** Whether a namespace is fleet's: these are always in the system project. */
export function isFleet({ metadata }: Namespace): boolean {
  return (
    fleetNames.includes(metadata.name) || metadata.labels?.["fleet.cattle.io/managed"] === "true"
  );
}

/** The server's own cluster may be managed by another server, whose projects have other names: both would move a namespace for ever. */
function isOurs(found: string | undefined, cluster: string): boolean {
  return cluster !== localClusterName || !found || found.startsWith(`${localClusterName}:`);
}

/** Whether it was looked at before: then where it is is what people want. */
function isSeen({ metadata }: Namespace): boolean {
  return metadata.annotations?.[marks.created] === "true";
}

/** Whether somebody has said already that the namespace's roles are there. */
export function isPopulated(namespace: Namespace): boolean {
  return namespaceConditions(namespace).some(
    ({ Type, Status }) =>
      Type === namespaceConditionTypes.initialRolesPopulated && Status === "True",
  );
}

/** What the namespace should become. */
export interface Wanted {
  readonly projectId: string | undefined;
  /** Whether its roles are there, so that it can say so. */
  readonly populated: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

type Entries = Readonly<Record<string, string | null>>;

/** Labels and annotations to change. */
export interface Change {
  readonly labels: Entries;
  readonly annotations: Entries;
}

/** What has to change about the namespace; undefined when nothing has. */
export function changeOf(
  namespace: Namespace,
  wanted: Wanted,
  around: Surroundings,
): Change | undefined {
  const said = namespace.metadata.annotations ?? {};
  const given = { ...wantedAnnotations(namespace, wanted, around) };
  const changed = Object.entries(given).filter(([key, value]) => said[key] !== value);
  const label = labelChange(namespace, wanted.projectId);
  if (changed.length === 0 && label === undefined) return undefined;
  return { annotations: Object.fromEntries(changed), labels: label ?? {} };
}

function wantedAnnotations(
  namespace: Namespace,
  { projectId, populated, now }: Wanted,
  around: Surroundings,
): Readonly<Record<string, string>> {
  const type = namespaceConditionTypes.initialRolesPopulated;
  const status = () => namespaceStatus(namespace, [{ type, status: "True" }], now);
  return {
    [marks.created]: "true",
    ...(projectId && { [annotations.projectId]: projectId }),
    ...(isWithoutToken(namespace, projectId, around) && { [noTokenAnnotation]: "true" }),
    ...(populated && !isPopulated(namespace) && { [namespaceAnnotations.status]: status() }),
  };
}

/** The label follows the annotation; one that is no project's id has none to follow. Undefined when it does already. */
function labelChange({ metadata }: Namespace, projectId: string | undefined): Entries | undefined {
  const found = metadata.labels?.[labels.projectId];
  if (!projectId) return found === undefined ? undefined : { [labels.projectId]: null };
  const id = parseProjectId(projectId);
  const wanted = id === undefined ? found : projectNames.namespaceLabel(id.project);
  return wanted === undefined || wanted === found ? undefined : { [labels.projectId]: wanted };
}

/** Namespaces whose ServiceAccount stays as Kubernetes made it, though they are of the system. */
const withToken = ["kube-system", "default"];

function isWithoutToken(
  { metadata }: Namespace,
  projectId: string | undefined,
  { cluster, systemProject, systemNamespaces }: Surroundings,
): boolean {
  if (withToken.includes(metadata.name)) return false;
  return (
    systemNamespaces.includes(metadata.name) ||
    metadata.annotations?.[annotations.systemNamespace] === "true" ||
    (systemProject !== undefined && projectId === `${cluster}:${systemProject}`)
  );
}

/** The fields that Steve indexes beside those of every type: what the Dashboard filters and sorts by (steve: pkg/stores/sqlproxy/proxy_store.go, TypeSpecificIndexedFields). */

import { type FieldPath, fieldText } from "../query/field.ts";
import type { ResourceType } from "../types/resource-type.ts";

/** How values are ordered: texts without regard to case, numbers, quantities such as `100Mi`, dates. */
export type Ordered = "text" | "number" | "quantity" | "date";

/** How Steve orders a field of a type that it indexes; undefined for any other. */
export function indexedOrder(
  { kind }: Pick<ResourceType, "kind">,
  path: FieldPath,
): Ordered | undefined {
  const name = kind.group === "" ? kind.kind : `${kind.group}/${kind.kind}`;
  const fields = Object.hasOwn(indexedFields, name) ? indexedFields[name] : undefined;
  const text = fieldText(path);
  return fields !== undefined && Object.hasOwn(fields, text) ? fields[text] : undefined;
}

type Fields = Readonly<Record<string, Ordered>>;

function texts(...names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, "text"]));
}

const state = texts(
  "metadata.state.error",
  "metadata.state.message",
  "metadata.state.transitioning",
);
const endpoints = "metadata.annotations[field.cattle.io/publicEndpoints]";
const podImages = "spec.template.spec.containers.image";

/** What clusters have and use. */
const resources: Fields = Object.fromEntries(
  ["allocatable", "requested"].flatMap((which): readonly (readonly [string, Ordered])[] => [
    [`status.${which}.cpu`, "text"],
    [`status.${which}.cpuRaw`, "number"],
    [`status.${which}.memory`, "text"],
    [`status.${which}.memoryRaw`, "number"],
    [`status.${which}.pods`, "number"],
  ]),
);

/** By kind, with its group. The version does not count: where a field is not there, nothing has it. */
export const indexedFields: Readonly<Record<string, Fields>> = {
  Event: texts("_type", "involvedObject.kind", "involvedObject.uid", "message", "reason"),
  Namespace: texts("spec.displayName"),
  Node: texts(
    ...["spec.taints.key", "status.addresses.type", "status.nodeInfo.kubeletVersion"],
    "status.nodeInfo.operatingSystem",
  ),
  PersistentVolume: texts("status.reason", "spec.persistentVolumeReclaimPolicy"),
  PersistentVolumeClaim: texts("spec.volumeName"),
  Pod: { ...state, ...texts("spec.containers.image", "spec.nodeName", "status.podIP") },
  ReplicationController: texts(podImages),
  Secret: texts(
    ...["_type", "metadata.annotations[management.cattle.io/project-scoped-secret-copy]"],
    ...["spec.clusterName", "spec.displayName"],
  ),
  Service: texts("spec.clusterIP", "spec.type"),
  "apps/DaemonSet": texts(endpoints, podImages),
  "apps/Deployment": texts(endpoints, podImages),
  "apps/ReplicaSet": texts(podImages),
  "apps/StatefulSet": texts(endpoints, podImages),
  "autoscaling/HorizontalPodAutoscaler": {
    "spec.scaleTargetRef.name": "text",
    "spec.minReplicas": "number",
    "spec.maxReplicas": "number",
    "status.currentReplicas": "number",
  },
  "batch/CronJob": texts(
    ...[endpoints, "spec.jobTemplate.spec.template.spec.containers.image"],
    ...["status.lastScheduleTime", "status.lastSuccessfulTime"],
  ),
  "batch/Job": { ...state, ...texts(endpoints, podImages) },
  "catalog.cattle.io/App": texts("spec.chart.metadata.name"),
  "catalog.cattle.io/ClusterRepo": texts(
    ...["metadata.annotations[clusterrepo.cattle.io/hidden]", "spec.gitBranch", "spec.gitRepo"],
  ),
  "catalog.cattle.io/Operation": texts("status.action", "status.namespace", "status.releaseName"),
  "cluster.x-k8s.io/Machine": texts("spec.clusterName"),
  "cluster.x-k8s.io/MachineDeployment": texts("spec.clusterName"),
  "management.cattle.io/Cluster": {
    ...texts("spec.fleetWorkspaceName", "spec.internal", "spec.displayName", "status.driver"),
    ...texts("status.info.kubernetesVersion", "status.info.machineProvider"),
    ...texts("status.connected", "status.provider"),
    ...resources,
    "status.info.nodeCount": "number",
  },
  "management.cattle.io/ClusterRoleTemplateBinding": texts(
    ...["clusterName", "userName", "userPrincipalName"],
  ),
  "management.cattle.io/GlobalRoleBinding": texts("userName", "userPrincipalName"),
  "management.cattle.io/Node": texts("status.nodeName"),
  "management.cattle.io/NodePool": texts("spec.clusterName"),
  "management.cattle.io/NodeTemplate": texts("spec.clusterName"),
  "management.cattle.io/Project": texts("spec.clusterName", "spec.displayName"),
  "management.cattle.io/ProjectRoleTemplateBinding": texts("userName", "userPrincipalName"),
  "management.cattle.io/RoleTemplate": texts("context"),
  "management.cattle.io/User": texts("principalIds"),
  "networking.k8s.io/Ingress": texts("spec.rules.host", "spec.ingressClassName"),
  "provisioning.cattle.io/Cluster": {
    ...texts("metadata.annotations[provisioning.cattle.io/management-cluster-display-name]"),
    ...texts("status.clusterName", "status.provider"),
    ...resources,
  },
  "rke.cattle.io/ETCDSnapshot": texts("snapshotFile.createdAt", "spec.clusterName"),
  "storage.k8s.io/StorageClass": texts(
    ...["provisioner", "metadata.annotations[storageclass.kubernetes.io/is-default-class]"],
  ),
};

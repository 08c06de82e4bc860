/** The cells of every kind that the API server has a table of its own for; the order of cells is that of the table's columns. */

import { textAt } from "../tree.ts";
import * as access from "./access.ts";
import { horizontalPodAutoscaler } from "./autoscaling.ts";
import type { Cell } from "./cell.ts";
import * as cluster from "./cluster.ts";
import * as control from "./control.ts";
import * as network from "./network.ts";
import { pod } from "./pods.ts";
import * as storage from "./storage.ts";
import { nameOf } from "./texts.ts";
import * as workloads from "./workloads.ts";

/** Makes the cells of one object, whatever its shape; never throws. */
export type Printer = (object: unknown) => readonly Cell[];

/** The printer of a kind; undefined for one whose table only the API server knows. */
export function printerOf(group: string, version: string, kind: string): Printer | undefined {
  const name = group === "" ? kind : `${group}/${kind}`;
  return printers[`${name}@${version}`] ?? printers[name];
}

/** Name, Created At: the table of kinds that have none (apiserver: pkg/registry/rest/table.go). */
export function nameAndCreation(object: unknown): readonly Cell[] {
  return [nameOf(object), textAt(object, "metadata", "creationTimestamp")];
}

const printers: Readonly<Record<string, Printer | undefined>> = {
  ComponentStatus: cluster.componentStatus,
  ConfigMap: cluster.configMap,
  Endpoints: network.endpoints,
  Event: cluster.event,
  LimitRange: nameAndCreation,
  Namespace: cluster.namespace,
  Node: cluster.node,
  PersistentVolume: storage.persistentVolume,
  PersistentVolumeClaim: storage.persistentVolumeClaim,
  Pod: pod,
  PodTemplate: workloads.podTemplate,
  ReplicationController: workloads.replicationController,
  ResourceQuota: cluster.resourceQuota,
  Secret: cluster.secret,
  Service: network.service,
  ServiceAccount: cluster.nameAndAge,
  "admissionregistration.k8s.io/MutatingAdmissionPolicy": access.mutatingAdmissionPolicy,
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": access.admissionPolicyBinding,
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": access.webhooks,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": access.validatingAdmissionPolicy,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": access.admissionPolicyBinding,
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": access.webhooks,
  "apiextensions.k8s.io/CustomResourceDefinition": nameAndCreation,
  "apiregistration.k8s.io/APIService": control.apiService,
  "apps/ControllerRevision": workloads.controllerRevision,
  "apps/DaemonSet": workloads.daemonSet,
  "apps/Deployment": workloads.deployment,
  "apps/ReplicaSet": workloads.replicaSet,
  "apps/StatefulSet": workloads.statefulSet,
  "autoscaling/HorizontalPodAutoscaler@v2": horizontalPodAutoscaler,
  "batch/CronJob": workloads.cronJob,
  "batch/Job": workloads.job,
  "certificates.k8s.io/CertificateSigningRequest": access.certificateSigningRequest,
  "certificates.k8s.io/ClusterTrustBundle": access.clusterTrustBundle,
  "certificates.k8s.io/PodCertificateRequest": access.podCertificateRequest,
  "coordination.k8s.io/Lease": cluster.lease,
  "coordination.k8s.io/LeaseCandidate": cluster.leaseCandidate,
  "discovery.k8s.io/EndpointSlice": network.endpointSlice,
  "events.k8s.io/Event": cluster.newEvent,
  "flowcontrol.apiserver.k8s.io/FlowSchema": control.flowSchema,
  "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": control.priorityLevelConfiguration,
  "internal.apiserver.k8s.io/StorageVersion": control.storageVersion,
  "networking.k8s.io/IPAddress": network.ipAddress,
  "networking.k8s.io/Ingress": network.ingress,
  "networking.k8s.io/IngressClass": network.ingressClass,
  "networking.k8s.io/NetworkPolicy": network.networkPolicy,
  "networking.k8s.io/ServiceCIDR": network.serviceCidr,
  "node.k8s.io/RuntimeClass": cluster.runtimeClass,
  "policy/PodDisruptionBudget": workloads.podDisruptionBudget,
  "rbac.authorization.k8s.io/ClusterRole": nameAndCreation,
  "rbac.authorization.k8s.io/ClusterRoleBinding": access.roleBinding,
  "rbac.authorization.k8s.io/Role": nameAndCreation,
  "rbac.authorization.k8s.io/RoleBinding": access.roleBinding,
  "resource.k8s.io/DeviceClass": cluster.nameAndAge,
  "resource.k8s.io/DeviceTaintRule": control.deviceTaintRule,
  "resource.k8s.io/ResourceClaim": control.resourceClaim,
  "resource.k8s.io/ResourceClaimTemplate": cluster.nameAndAge,
  "resource.k8s.io/ResourceSlice": control.resourceSlice,
  "scheduling.k8s.io/PriorityClass": cluster.priorityClass,
  "scheduling.k8s.io/Workload": cluster.nameAndAge,
  "storage.k8s.io/CSIDriver": storage.csiDriver,
  "storage.k8s.io/CSINode": storage.csiNode,
  "storage.k8s.io/CSIStorageCapacity": nameAndCreation,
  "storage.k8s.io/StorageClass": storage.storageClass,
  "storage.k8s.io/VolumeAttachment": storage.volumeAttachment,
  "storage.k8s.io/VolumeAttributesClass": storage.volumeAttributesClass,
  "storagemigration.k8s.io/StorageVersionMigration": control.storageVersionMigration,
};

/** The kinds that have one, with their groups. */
export const printedKinds: readonly string[] = Object.keys(printers).map((name) =>
  name.replace(/@.*/, ""),
);

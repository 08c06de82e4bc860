import { expect } from "chai";
import { defineKind } from "kopf-ts";
import { parseField } from "../query/field.ts";
import { indexedOrder } from "./indexed.ts";

const endpoints = "metadata.annotations[field.cattle.io/publicEndpoints]";
const images = "spec.template.spec.containers.image";
const resources = ["allocatable", "requested"].flatMap((which) =>
  ["cpu", "memory", "cpuRaw", "memoryRaw", "pods"].map((what) => `status.${which}.${what}`),
);

/** Written down once more, from what Steve indexes (steve: pkg/stores/sqlproxy/proxy_store.go). */
const indexed: Readonly<Record<string, readonly string[]>> = {
  Event: ["_type", "involvedObject.kind", "involvedObject.uid", "message", "reason"],
  Namespace: ["spec.displayName"],
  Node: [
    ...["spec.taints.key", "status.addresses.type"],
    ...["status.nodeInfo.kubeletVersion", "status.nodeInfo.operatingSystem"],
  ],
  PersistentVolume: ["status.reason", "spec.persistentVolumeReclaimPolicy"],
  PersistentVolumeClaim: ["spec.volumeName"],
  Pod: [
    ...["metadata.state.error", "metadata.state.message", "metadata.state.transitioning"],
    ...["spec.containers.image", "spec.nodeName", "status.podIP"],
  ],
  ReplicationController: [images],
  "apps/ReplicaSet": [images],
  Secret: [
    "_type",
    "metadata.annotations[management.cattle.io/project-scoped-secret-copy]",
    ...["spec.clusterName", "spec.displayName"],
  ],
  Service: ["spec.clusterIP", "spec.type"],
  "apps/DaemonSet": [endpoints, images],
  "apps/Deployment": [endpoints, images],
  "apps/StatefulSet": [endpoints, images],
  "autoscaling/HorizontalPodAutoscaler": [
    ...["spec.scaleTargetRef.name", "spec.minReplicas", "spec.maxReplicas"],
    "status.currentReplicas",
  ],
  "batch/CronJob": [
    ...[endpoints, "spec.jobTemplate.spec.template.spec.containers.image"],
    ...["status.lastScheduleTime", "status.lastSuccessfulTime"],
  ],
  "batch/Job": [
    ...[endpoints, images],
    ...["metadata.state.error", "metadata.state.message", "metadata.state.transitioning"],
  ],
  "networking.k8s.io/Ingress": ["spec.rules.host", "spec.ingressClassName"],
  "storage.k8s.io/StorageClass": [
    "provisioner",
    "metadata.annotations[storageclass.kubernetes.io/is-default-class]",
  ],
  "catalog.cattle.io/App": ["spec.chart.metadata.name"],
  "catalog.cattle.io/ClusterRepo": [
    ...["metadata.annotations[clusterrepo.cattle.io/hidden]", "spec.gitBranch", "spec.gitRepo"],
  ],
  "catalog.cattle.io/Operation": ["status.action", "status.namespace", "status.releaseName"],
  "cluster.x-k8s.io/Machine": ["spec.clusterName"],
  "cluster.x-k8s.io/MachineDeployment": ["spec.clusterName"],
  "management.cattle.io/Cluster": [
    ...["spec.fleetWorkspaceName", "spec.internal", "spec.displayName", ...resources],
    ...["status.driver", "status.info.kubernetesVersion", "status.info.machineProvider"],
    ...["status.info.nodeCount", "status.connected", "status.provider"],
  ],
  "management.cattle.io/ClusterRoleTemplateBinding": [
    ...["clusterName", "userName", "userPrincipalName"],
  ],
  "management.cattle.io/GlobalRoleBinding": ["userName", "userPrincipalName"],
  "management.cattle.io/ProjectRoleTemplateBinding": ["userName", "userPrincipalName"],
  "management.cattle.io/Node": ["status.nodeName"],
  "management.cattle.io/NodePool": ["spec.clusterName"],
  "management.cattle.io/NodeTemplate": ["spec.clusterName"],
  "management.cattle.io/Project": ["spec.clusterName", "spec.displayName"],
  "management.cattle.io/RoleTemplate": ["context"],
  "management.cattle.io/User": ["principalIds"],
  "provisioning.cattle.io/Cluster": [
    "metadata.annotations[provisioning.cattle.io/management-cluster-display-name]",
    ...[...resources, "status.clusterName", "status.provider"],
  ],
  "rke.cattle.io/ETCDSnapshot": ["snapshotFile.createdAt", "spec.clusterName"],
};

const numbers = /(Raw|\.pods|nodeCount|Replicas)$/;

describe("the fields that Steve indexes", () => {
  for (const [name, fields] of Object.entries(indexed)) {
    it(`are known of ${name}`, () => {
      const [kind = "", group = ""] = name.split("/").reverse();
      const defined = defineKind({ group, version: "v1", kind, plural: "x", scope: "Namespaced" });
      const orders = fields.map((field) => [
        field,
        indexedOrder({ kind: defined }, parseField(field, "filter")),
      ]);

      expect(orders).to.deep.equal(
        fields.map((field) => [field, numbers.test(field) ? "number" : "text"]),
      );
    });
  }
});

/** Two objects of each kind with fields that Steve indexes, which differ in all of these. */

import { indexedFields } from "../fields/indexed.ts";
import { parseField } from "../query/field.ts";

type Tree = Readonly<Record<string, unknown>>;

/** A pair of objects, and of the values that they have in each field. */
export interface Sample {
  /** Behind the server's address, for a namespace. */
  readonly path: (namespace: string) => string;
  /** What follows `/v1/`. */
  readonly list: string;
  readonly objects: readonly [Tree, Tree];
  /** Written to status afterwards. */
  readonly statuses?: readonly [Tree, Tree];
  readonly fields: Readonly<Record<string, readonly [unknown, unknown]>>;
}

const words = ["alpha", "Beta"] as const;
const lower = ["alpha", "beta"] as const;
const numbers = [9, 10] as const;
const dates = ["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"] as const;
const flags = ["false", "true"] as const;
const images = ["example.com/a:1", "example.com/b:1"] as const;

function both<T>(make: (index: 0 | 1) => T): readonly [T, T] {
  return [make(0), make(1)];
}

const core = (plural: string) => ({
  path: (namespace: string) => `/api/v1/namespaces/${namespace}/${plural}`,
  list: plural,
});
const outside = (path: string, list: string) => ({ path: () => path, list });
const of = (group: string, version: string, plural: string) => ({
  path: (namespace: string) => `/apis/${group}/${version}/namespaces/${namespace}/${plural}`,
  list: `${group}.${plural}`,
});

const endpoints = "field.cattle.io/publicEndpoints";
const annotated = (key: string, index: 0 | 1) => ({
  metadata: { annotations: { [key]: words[index] } },
});
const podOf = (index: 0 | 1, more: Tree = {}) => ({
  metadata: { labels: { app: "sample" } },
  spec: { ...more, containers: [{ name: "c", image: images[index] }] },
});
const selector = { matchLabels: { app: "sample" } };

/** A kind whose Pods have a template. */
const workload = (plural: string, more: Tree = {}): Sample => ({
  ...of("apps", "v1", plural),
  objects: both((index) => ({
    ...annotated(endpoints, index),
    spec: { ...more, selector, template: podOf(index) },
  })),
  fields: {
    "spec.template.spec.containers.image": images,
    ...(plural !== "replicasets" && { [`metadata.annotations[${endpoints}]`]: words }),
  },
});

const failing = {
  conditions: [
    { type: "Updated", status: "Unknown", message: "a" },
    { type: "PodScheduled", status: "False", message: "b" },
  ],
};
const states = {
  "metadata.state.error": flags,
  "metadata.state.message": ["", "a:b"],
  "metadata.state.transitioning": flags,
} as const;

const nodeInfo = (index: 0 | 1) => ({
  ...{ machineID: "", systemUUID: "", bootID: "", kernelVersion: "", osImage: "" },
  ...{ containerRuntimeVersion: "", kubeProxyVersion: "", architecture: "" },
  ...{ kubeletVersion: words[index], operatingSystem: words[index] },
});
const jobSpec = (index: 0 | 1) => ({ template: podOf(index, { restartPolicy: "Never" }) });
const storage = { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } };
const requested = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const scoped = "management.cattle.io/project-scoped-secret-copy";
const isDefault = "storageclass.kubernetes.io/is-default-class";

/** By kind, as in the table of fields. */
export const builtInSamples: Readonly<Record<string, Sample>> = {
  Event: {
    ...outside("/api/v1/namespaces/default/events", "events"), // where events of nothing in a namespace are
    objects: both((index) => ({
      ...{ type: ["Normal", "Warning"][index], message: words[index], reason: words[index] },
      involvedObject: { kind: words[index], uid: words[index], name: "x" },
    })),
    fields: {
      ...{ _type: ["Normal", "Warning"], message: words, reason: words },
      ...{ "involvedObject.kind": words, "involvedObject.uid": words },
    },
  },
  Node: {
    ...outside("/api/v1/nodes", "nodes"),
    objects: both((index) => ({ spec: { taints: [{ key: words[index], effect: "NoSchedule" }] } })),
    statuses: both((index) => ({
      addresses: [{ type: words[index], address: "10.0.0.1" }],
      nodeInfo: nodeInfo(index),
    })),
    fields: {
      ...{ "spec.taints.key": words, "status.addresses.type": words },
      "status.nodeInfo.kubeletVersion": words,
      "status.nodeInfo.operatingSystem": words,
    },
  },
  PersistentVolume: {
    ...outside("/api/v1/persistentvolumes", "persistentvolumes"),
    objects: both((index) => ({
      spec: {
        ...{ ...storage, hostPath: { path: "/srv" } },
        persistentVolumeReclaimPolicy: ["Delete", "Retain"][index],
      },
    })),
    statuses: both((index) => ({ phase: "Available", reason: words[index] })),
    fields: {
      ...{ "status.reason": words, "spec.persistentVolumeReclaimPolicy": ["Delete", "Retain"] },
    },
  },
  PersistentVolumeClaim: {
    ...core("persistentvolumeclaims"),
    objects: both((index) => ({ spec: { ...requested, volumeName: lower[index] } })),
    fields: { "spec.volumeName": lower },
  },
  Pod: {
    ...core("pods"),
    objects: both((index) => ({
      spec: podOf(index, { nodeName: lower[index], automountServiceAccountToken: false }).spec,
    })),
    statuses: both((index) => {
      const podIP = `10.0.0.${index + 1}`;
      return { podIP, podIPs: [{ ip: podIP }], ...(index === 1 && failing) };
    }),
    fields: {
      ...states,
      "spec.containers.image": images,
      "spec.nodeName": lower,
      "status.podIP": ["10.0.0.1", "10.0.0.2"],
    },
  },
  ReplicationController: {
    ...core("replicationcontrollers"),
    objects: both((index) => ({ spec: { selector: { app: "sample" }, template: podOf(index) } })),
    fields: { "spec.template.spec.containers.image": images },
  },
  Secret: {
    ...core("secrets"),
    objects: both((index) => ({
      ...annotated(scoped, index),
      type: `example.com/${lower[index]}`,
    })),
    fields: {
      _type: ["example.com/alpha", "example.com/beta"],
      [`metadata.annotations[${scoped}]`]: words,
    },
  },
  Service: {
    ...core("services"),
    objects: [
      { spec: { clusterIP: "None", ports: [{ port: 80 }] } },
      { spec: { type: "ExternalName", externalName: "example.com" } },
    ],
    fields: { "spec.clusterIP": ["None", ""], "spec.type": ["ClusterIP", "ExternalName"] },
  },
  "apps/DaemonSet": workload("daemonsets"),
  "apps/Deployment": workload("deployments"),
  "apps/ReplicaSet": workload("replicasets"),
  "apps/StatefulSet": workload("statefulsets", { serviceName: "x" }),
  "autoscaling/HorizontalPodAutoscaler": {
    ...of("autoscaling", "v2", "horizontalpodautoscalers"),
    objects: both((index) => ({
      spec: {
        ...{ minReplicas: numbers[index], maxReplicas: numbers[index] },
        scaleTargetRef: { kind: "Deployment", apiVersion: "apps/v1", name: lower[index] },
        metrics: [],
      },
    })),
    statuses: both((index) => ({ currentReplicas: numbers[index], desiredReplicas: 1 })),
    fields: {
      ...{ "spec.scaleTargetRef.name": lower, "spec.minReplicas": numbers },
      ...{ "spec.maxReplicas": numbers, "status.currentReplicas": numbers },
    },
  },
  "batch/CronJob": {
    ...of("batch", "v1", "cronjobs"),
    objects: both((index) => ({
      ...annotated(endpoints, index),
      spec: { schedule: "0 0 1 1 *", jobTemplate: { spec: jobSpec(index) } },
    })),
    statuses: both((index) => ({
      lastScheduleTime: dates[index],
      lastSuccessfulTime: dates[index],
    })),
    fields: {
      [`metadata.annotations[${endpoints}]`]: words,
      "spec.jobTemplate.spec.template.spec.containers.image": images,
      "status.lastScheduleTime": dates,
      "status.lastSuccessfulTime": dates,
    },
  },
  "batch/Job": {
    ...of("batch", "v1", "jobs"),
    objects: both((index) => ({ ...annotated(endpoints, index), spec: jobSpec(index) })),
    statuses: both((index) => ({ startTime: dates[0], ...(index === 1 && failing) })),
    fields: {
      ...states,
      "metadata.state.message": ["Job in progress. success:0, active: 0, failed: 0", "a:b"],
      [`metadata.annotations[${endpoints}]`]: words,
      "spec.template.spec.containers.image": images,
    },
  },
  "networking.k8s.io/Ingress": {
    ...of("networking.k8s.io", "v1", "ingresses"),
    objects: both((index) => ({
      spec: {
        ingressClassName: lower[index],
        rules: [{ host: lower[index] }],
        defaultBackend: { service: { name: "x", port: { number: 80 } } },
      },
    })),
    fields: { "spec.rules.host": lower, "spec.ingressClassName": lower },
  },
  "storage.k8s.io/StorageClass": {
    ...outside("/apis/storage.k8s.io/v1/storageclasses", "storage.k8s.io.storageclasses"),
    objects: both((index) => ({
      ...annotated(isDefault, index),
      provisioner: `example.com/${lower[index]}`,
    })),
    fields: {
      ...{ provisioner: ["example.com/alpha", "example.com/beta"] },
      [`metadata.annotations[${isDefault}]`]: words,
    },
  },
};

/** Fields that come from conditions, or are made from others. */
const made = /Raw$|^status\.connected$/;
/** What provisioning.cattle.io/Cluster has of the management.cattle.io/Cluster of its name, and never itself. */
const copied = /^status\.(allocatable|requested)\./;
/** Of Rancher's clusters: as quantities, of which the Raw ones are the numbers. */
const quantities = /^status\.(allocatable|requested)\.(cpu|memory)$/;

/** A kind of Rancher's or of Cluster API, of which any value is as good as another. */
export function customSample(name: string, version: string, plural: string): Sample {
  const fields = Object.fromEntries(
    Object.entries(indexedFields[name] ?? {}).map(([field, ordered]) => [
      field,
      valuesOf(field, ordered),
    ]),
  );
  const [group = ""] = name.split("/");
  return {
    ...of(group, version, plural),
    objects: both((index) => written(name, fields, index)),
    fields,
  };
}

function valuesOf(field: string, ordered: string): readonly [unknown, unknown] {
  if (field === "status.connected") return flags;
  if (field === "status.clusterName") return ["sample-0", "sample-1"]; // by which others' fields are looked up
  if (quantities.test(field)) return ["9", "10"];
  return ordered === "number" ? numbers : words;
}

function written(name: string, fields: Sample["fields"], index: 0 | 1): Tree {
  const object = {};
  const isCopy = (field: string): boolean =>
    name === "provisioning.cattle.io/Cluster" && copied.test(field);
  for (const [field, values] of Object.entries(fields)) {
    if (made.test(field) || isCopy(field)) continue;
    put(object, parseField(field, "filter"), values[index]);
  }
  if ("status.connected" in fields) {
    put(object, ["status", "conditions"], [{ type: "Ready", status: ["False", "True"][index] }]);
  }
  return object;
}

function put(
  tree: Record<string, unknown>,
  [key = "", ...rest]: readonly string[],
  value: unknown,
): void {
  if (rest.length === 0) {
    tree[key] = value;
    return;
  }
  const below = (tree[key] ?? {}) as Record<string, unknown>;
  put(below, rest, value);
  tree[key] = below;
}

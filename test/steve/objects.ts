/** What the cluster holds that both servers are asked about: objects of built-in and own kinds, and people with different rights. */

import { type Client, defineKind, isAlreadyExists, type Kind, type KubeObject } from "kopf-ts";
import { statedCrds, statedObjects } from "./states.ts";

/** Namespaces of the test; one of two belongs to a project. */
export const namespaces: readonly string[] = ["alpha", "beta", "gamma", "delta", "epsilon"];

/** An object as it is applied. */
type Manifest = KubeObject & Readonly<Record<string, unknown>>;

/** Everything, in an order in which it can be created. */
export function objects(): readonly Manifest[] {
  return [
    crd,
    ...statedCrds,
    ...namespaces.map(namespace),
    ...["node-a", "node-b", "node-c"].map(node),
    ...people,
    ...namespaces.flatMap((name, index) => inNamespace(name, index)),
    ...statedObjects(),
  ];
}

/** Creates all of it, with statuses; what is there already stays. */
export async function createObjects(client: Client): Promise<void> {
  for (const object of objects()) {
    const { status, ...rest } = object;
    try {
      const created = await client.create(rest as Manifest);
      if (status === undefined) continue;
      await client.patch(created, { merge: { status } }, { subresource: "status" });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }
}

/** Of the own kind of the test, with columns of all types. */
export const Widget: Kind = defineKind({
  group: "peer.example.com",
  version: "v1",
  plural: "widgets",
  kind: "Widget",
  scope: "Namespaced",
});

const column = (name: string, type: string, jsonPath: string): object => ({ name, type, jsonPath });

const crd: Manifest = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.peer.example.com" },
  spec: {
    group: "peer.example.com",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
        additionalPrinterColumns: [
          column("Size", "integer", ".spec.size"),
          column("Color", "string", ".spec.color"),
          column("Weight", "number", ".spec.weight"),
          column("Age", "date", ".metadata.creationTimestamp"),
        ],
      },
    ],
  },
};

function namespace(name: string, index: number): Manifest {
  const labels = index % 2 === 0 ? { "field.cattle.io/projectId": `p-${index}` } : {};
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}

function node(name: string, index: number): Manifest {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/os": "linux" } },
    spec: index === 0 ? { taints: [{ key: "dedicated", value: "x", effect: "NoSchedule" }] } : {},
    status: {
      conditions: [
        { type: "Ready", status: index === 2 ? "False" : "True", reason: "R", message: "m" },
        {
          type: "MemoryPressure",
          status: index === 1 ? "True" : "False",
          reason: "P",
          message: "",
        },
      ].map(dated),
      addresses: [{ type: "InternalIP", address: `10.0.${index}.1` }],
      nodeInfo: nodeInfo(index),
      capacity: { cpu: "4", memory: "8Gi" },
    },
  };
}

function dated(condition: object): object {
  const time = "2026-01-02T03:04:05Z";
  return { ...condition, lastTransitionTime: time };
}

function nodeInfo(index: number): object {
  return {
    machineID: "m",
    systemUUID: "s",
    bootID: "b",
    kernelVersion: "6.1",
    osImage: "Linux",
    containerRuntimeVersion: "containerd://2.0",
    kubeletVersion: `v1.3${index}.0`,
    kubeProxyVersion: "",
    operatingSystem: "linux",
    architecture: "amd64",
  };
}

function inNamespace(namespace: string, place: number): readonly Manifest[] {
  const each = (count: number, make: (index: number) => Manifest): readonly Manifest[] =>
    Array.from({ length: count }, (_, index) => make(index));
  return [
    ...each(6, (index) => pod(namespace, index + place)),
    ...each(3, (index) => deployment(namespace, index)),
    ...each(3, (index) => podOfDeployment(namespace, index)),
    ...each(4, (index) => configMap(namespace, index)),
    ...each(3, (index) => secret(namespace, index)),
    ...each(3, (index) => service(namespace, index)),
    ...each(5, (index) => widget(namespace, index + place)),
  ];
}

const apps = ["web", "db", "Cache", "mail_2"] as const;

function meta(namespace: string, name: string, index: number): KubeObject["metadata"] {
  return {
    name,
    namespace,
    labels: {
      app: apps[index % apps.length] ?? "",
      ...(index % 3 === 0 ? { "app.kubernetes.io/tier": "front" } : {}),
    },
    annotations: { "example.com/note": `note_${index % 2}` },
  };
}

const phases = ["Running", "Pending", "Succeeded", "Failed"] as const;

function pod(namespace: string, index: number): Manifest {
  const phase = phases[index % phases.length] ?? "Running";
  const ready = phase === "Running" && index % 8 !== 4;
  const image = `registry.example.com/app:1.${index}`;
  const crash = { waiting: { reason: "CrashLoopBackOff", message: "back-off" } };
  const running = { running: { startedAt: "2026-01-01T00:00:00Z" } };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: meta(namespace, `pod-${index}`, index),
    spec: {
      nodeName: index % 2 === 0 ? "node-a" : "node-b",
      serviceAccountName: "default",
      automountServiceAccountToken: false,
      containers: [
        { name: "app", image, envFrom: [{ configMapRef: { name: "settings-0" } }] },
        { name: "side", image: "registry.example.com/side:2" },
      ],
      volumes: [{ name: "v", secret: { secretName: "secret-0" } }],
    },
    status: {
      phase,
      podIP: `10.1.${index}.${200 - index * 9}`,
      startTime: "2026-01-01T00:00:00Z",
      conditions: [
        { type: "PodScheduled", status: "True" },
        { type: "Ready", status: ready ? "True" : "False", reason: "X", message: "containers" },
      ].map(dated),
      containerStatuses: ["app", "side"].map((name, at) => ({
        name,
        image,
        imageID: "",
        ready,
        restartCount: at === 0 ? index % 3 : 0,
        state: ready || phase !== "Running" ? running : crash,
        ...(at === 0 && index % 3 > 0 ? { lastState: ended } : {}),
      })),
    },
  };
}

/** The first two are of deployment-0, the third is of deployment-1: all that tells is the label. */
function podOfDeployment(namespace: string, index: number): Manifest {
  const plain = pod(namespace, index);
  const labels = { run: `d${index >> 1}` };
  return { ...plain, metadata: { name: `worker-${index}`, namespace, labels } };
}

const ended = {
  terminated: {
    exitCode: 1,
    finishedAt: "2026-01-01T10:00:00Z",
    startedAt: "2026-01-01T00:00:00Z",
  },
};

function deployment(namespace: string, index: number): Manifest {
  const labels = { run: `d${index}` };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: meta(namespace, `deployment-${index}`, index),
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "app", image: `registry.example.com/d:${index}` }] },
      },
    },
  };
}

function configMap(namespace: string, index: number): Manifest {
  const data = Object.fromEntries(Array.from({ length: index }, (_, n) => [`key-${n}`, "x"]));
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: meta(namespace, `settings-${index}`, index),
    data,
  };
}

const secretTypes = ["Opaque", "kubernetes.io/basic-auth", "example.com/own"] as const;

function secret(namespace: string, index: number): Manifest {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: meta(namespace, `secret-${index}`, index),
    type: secretTypes[index % secretTypes.length],
    stringData: { username: "u", password: "p" },
  };
}

function service(namespace: string, index: number): Manifest {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: meta(namespace, `service-${index}`, index),
    spec: {
      type: index === 1 ? "LoadBalancer" : "ClusterIP",
      selector: { app: apps[index % apps.length] },
      ports: [{ port: 80 }],
    },
  };
}

function widget(namespace: string, index: number): Manifest {
  const status = [
    { conditions: [{ type: "Ready", status: "True" }] },
    { conditions: [{ type: "Ready", status: "False", message: "not yet" }] },
    { conditions: [{ type: "Reconciling", status: "True", reason: "Work", message: "busy" }] },
    { conditions: [{ type: "Stalled", status: "True", reason: "Stuck", message: "stuck" }] },
  ][index % 4];
  return {
    apiVersion: "peer.example.com/v1",
    kind: "Widget",
    metadata: meta(namespace, `widget-${index}`, index),
    spec: {
      size: (index * 7) % 11,
      color: index % 2 ? "Red" : "blue",
      weight: index / 3,
      tags: ["a", "b"],
    },
    status: { ...status, phase: index % 5 === 4 ? "Odd" : undefined },
  };
}

/** People: who sees everything, two namespaces, a kind everywhere, some names, nothing. */
export const users: Readonly<Record<string, readonly string[]>> = {
  admin: ["system:masters", "system:authenticated"],
  tenant: ["system:authenticated", "tenants"],
  "pod-reader": ["system:authenticated"],
  named: ["system:authenticated"],
  nobody: ["system:authenticated"],
};

/** What each may read: the id of a type, and of an object. */
const readable: Readonly<Record<string, RegExp>> = {
  admin: /./,
  tenant:
    /^(pod|configmap|secret|service|serviceaccount|apps\.deployment|peer\.example\.com\.widget) (alpha|gamma)\//,
  "pod-reader": /^(pod|node) /,
  named: /^(configmap beta\/settings-[13]|secret beta\/secret-1|\S+\.widget beta\/widget-[23])$/,
};

/** Whether somebody may read an object, by the rights that `people` gives. */
export function sees(user: string, type: string, id: string): boolean {
  return readable[user]?.test(`${type} ${id}`) ?? false;
}

const rbac = { apiVersion: "rbac.authorization.k8s.io/v1" } as const;
const roleRef = (kind: string, name: string): object => ({
  apiGroup: "rbac.authorization.k8s.io",
  kind,
  name,
});
const subject = (kind: string, name: string): object => ({
  apiGroup: "rbac.authorization.k8s.io",
  kind,
  name,
});

/** Steve sees a right to a namespace only where a role names the resource. */
const visible: readonly string[] = [
  ...["pods", "configmaps", "secrets", "services", "serviceaccounts", "deployments", "widgets"],
];

const people: readonly Manifest[] = [
  {
    ...rbac,
    kind: "ClusterRole",
    metadata: { name: "peer-edit" },
    rules: [
      { apiGroups: ["", "apps", "peer.example.com"], resources: visible, verbs: ["*"] },
      // Steve shows a namespace to those alone who are given one of these by its name.
      { apiGroups: [""], resources: ["services"], verbs: ["get", "list"] },
    ],
  },
  ...["alpha", "gamma"].map((name) => ({
    ...rbac,
    kind: "RoleBinding",
    metadata: { name: "peer-tenants", namespace: name },
    roleRef: roleRef("ClusterRole", "peer-edit"),
    subjects: [subject("Group", "tenants")],
  })),
  {
    ...rbac,
    kind: "ClusterRole",
    metadata: { name: "peer-pods" },
    rules: [
      { apiGroups: [""], resources: ["pods", "nodes"], verbs: ["get", "list", "watch"] },
      { apiGroups: [""], resources: ["pods"], verbs: ["delete"] },
    ],
  },
  {
    ...rbac,
    kind: "ClusterRoleBinding",
    metadata: { name: "peer-pods" },
    roleRef: roleRef("ClusterRole", "peer-pods"),
    subjects: [subject("User", "pod-reader")],
  },
  {
    ...rbac,
    kind: "Role",
    metadata: { name: "peer-named", namespace: "beta" },
    rules: [
      {
        apiGroups: [""],
        resources: ["configmaps", "secrets"],
        resourceNames: ["settings-1", "settings-3", "secret-1"],
        verbs: ["get", "update"],
      },
      {
        apiGroups: ["peer.example.com"],
        resources: ["widgets"],
        resourceNames: ["widget-2", "widget-3"],
        verbs: ["list", "get", "patch"],
      },
    ],
  },
  {
    ...rbac,
    kind: "RoleBinding",
    metadata: { name: "peer-named", namespace: "beta" },
    roleRef: roleRef("Role", "peer-named"),
    subjects: [subject("User", "named")],
  },
];

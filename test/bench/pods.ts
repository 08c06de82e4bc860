/** Deterministic Pods of the size and shape that a busy cluster has: about 8.6 KB of JSON with managedFields. */

import { type Client, defineKind, isAlreadyExists } from "kopf-ts";

const applications = ["checkout", "catalog", "payments", "ledger", "search", "frontend", "mailer"];

/** Namespaces that hold Pods. */
export const namespaceCount = 100;

/** Namespace number `index`. */
export function namespaceName(index: number): string {
  return `bench-${index}`;
}

/** The namespace Pod `index` lives in. */
export function namespaceOf(index: number): string {
  return namespaceName(index % namespaceCount);
}

/** The name of Pod `index`. */
export function nameOf(index: number): string {
  return `${applications[index % applications.length]}-${String(index).padStart(6, "0")}`;
}

function hex(seed: number, length: number): string {
  let [state, text] = [seed * 2654435761 + 1, ""];
  while (text.length < length) {
    state = (state * 1664525 + 1013904223) >>> 0;
    text += state.toString(16).padStart(8, "0");
  }
  return text.slice(0, length);
}

function container(name: string, index: number): object {
  const probe = (path: string): object => ({
    httpGet: { path, port: "http" },
    initialDelaySeconds: 10,
    timeoutSeconds: 2,
  });
  return {
    name,
    image: `registry.example.com/prod/${name}:1.${index % 9}.${index % 50}`,
    ports: [
      { name: "http", containerPort: 8080 },
      { name: "metrics", containerPort: 9102 },
    ],
    env: [
      { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
      { name: "DB_HOST", value: `${name}-db.${namespaceOf(index)}.svc.cluster.local` },
      { name: "LOG_LEVEL", value: "info" },
      { name: "RELEASE", value: hex(index, 64) },
    ],
    resources: {
      limits: { cpu: "1", memory: "512Mi" },
      requests: { cpu: `${100 + (index % 4) * 50}m`, memory: "256Mi" },
    },
    volumeMounts: [{ name: "config", mountPath: "/etc/app" }],
    livenessProbe: probe("/healthz"),
    readinessProbe: probe("/readyz"),
    securityContext: {
      capabilities: { drop: ["ALL"] },
      runAsNonRoot: true,
      allowPrivilegeEscalation: false,
    },
  };
}

/** Pod `index`. */
export function pod(index: number): object {
  const app = applications[index % applications.length] ?? "";
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: nameOf(index),
      namespace: namespaceOf(index),
      labels: {
        app,
        tier: index % 2 ? "backend" : "frontend",
        "app.kubernetes.io/managed-by": "Helm",
        "pod-template-hash": hex(index % 50, 9),
      },
      annotations: {
        "checksum/config": hex(index, 64),
        "checksum/secret": hex(index + 1, 64),
        "prometheus.io/port": "9102",
        "prometheus.io/scrape": "true",
      },
    },
    spec: {
      automountServiceAccountToken: false,
      nodeName: `ip-10-0-${index % 20}-${index % 250}.internal`,
      containers: [container(app, index), container("proxy", index)],
      volumes: [{ name: "config", configMap: { name: `${app}-config` } }],
      tolerations: [
        { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
      ],
    },
  };
}

/** The status a kubelet would write for Pod `index`. */
export function podStatus(index: number): object {
  const app = applications[index % applications.length] ?? "";
  const at = "2026-01-01T00:00:00Z";
  const condition = (type: string): object => ({
    type,
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: at,
  });
  const state = (name: string): object => ({
    name,
    state: { running: { startedAt: at } },
    lastState: {},
    ready: true,
    restartCount: index % 3,
    image: `registry.example.com/prod/${name}:1.${index % 9}.${index % 50}`,
    imageID: `registry.example.com/prod/${name}@sha256:${hex(index, 64)}`,
    containerID: `containerd://${hex(index + 7, 64)}`,
    started: true,
  });
  return {
    phase: index % 10 ? "Running" : "Failed",
    conditions: ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map(condition),
    hostIP: `10.0.${index % 20}.${index % 250}`,
    podIP: `10.42.${index % 200}.${index % 250}`,
    podIPs: [{ ip: `10.42.${index % 200}.${index % 250}` }],
    startTime: at,
    containerStatuses: [state(app), state("proxy")],
    qosClass: "Burstable",
  };
}

/** Makes the namespaces and Pods 0 to n-1 with their status exist; those of an earlier scenario stay. `progress` is called now and then with how many do. */
export async function createPods(
  client: Client,
  n: number,
  progress: (done: number) => void,
): Promise<void> {
  const Namespace = defineKind({
    group: "",
    version: "v1",
    plural: "namespaces",
    kind: "Namespace",
    scope: "Cluster",
  });
  for (let index = 0; index < namespaceCount; index++) {
    const name = namespaceName(index);
    if ((await client.find(Namespace, name)) === undefined) {
      await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    }
  }
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < n; index = next++) {
      await createPod(client, index);
      if (index % 500 === 0) progress(index);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  progress(n);
}

async function createPod(client: Client, index: number): Promise<void> {
  const path = `/api/v1/namespaces/${namespaceOf(index)}/pods`;
  const headers = { "Content-Type": "application/json" };
  try {
    await client.request({ method: "POST", path, headers, body: JSON.stringify(pod(index)) });
  } catch (error) {
    if (isAlreadyExists(error)) return;
    throw error;
  }
  await client.request({
    method: "PATCH",
    path: `${path}/${nameOf(index)}/status`,
    headers: { "Content-Type": "application/merge-patch+json" },
    body: JSON.stringify({ status: podStatus(index) }),
  });
}

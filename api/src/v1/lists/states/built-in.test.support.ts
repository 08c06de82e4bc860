/** Objects of built-in kinds as controllers would leave them, and how they are. */

import { active, goesOn, is, wrong } from "../../summary/cases.test.support.ts";
import type { Summary } from "../../summary/summary.ts";
import type { Tree } from "./bed.test.support.ts";

/** One object: what is sent, the status that is written to it then, and what a summary of it has among others. */
export interface Row {
  readonly title: string;
  readonly object?: Tree;
  readonly status?: Tree;
  readonly expected: Partial<Summary>;
}

/** A kind: its collection in the API, the name of its list, whether it is in a namespace, and what each object of it has. */
export interface BuiltIn {
  readonly api: string;
  readonly plural: string;
  readonly list: string;
  readonly isClusterScoped?: true;
  readonly base: Tree;
  readonly rows: readonly Row[];
}

const row = (title: string, expected: Partial<Summary>, status?: Tree, object?: Tree): Row => ({
  title,
  expected,
  ...(status && { status }),
  ...(object && { object }),
});

const waits = (message: string) => goesOn("in-progress", message);
const rests = (message: string) => ({ ...active, messages: [message] });
const state = (name: string): Partial<Summary> => ({ ...active, state: name });

const template = {
  metadata: { labels: { app: "states" } },
  spec: { containers: [{ name: "c", image: "example.com/web:1" }] },
};
const workload = { selector: { matchLabels: { app: "states" } }, template };

const full = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
const progressing = is("Progressing", "True", "", "NewReplicaSetAvailable");

const deployments: BuiltIn = {
  ...{ api: "/apis/apps/v1", plural: "deployments", list: "apps.deployments" },
  base: { spec: workload },
  rows: [
    row("nobody looked at", waits("Replicas: 0/1")),
    row("not updated", waits("Updated: 0/1"), { replicas: 1 }),
    row("with an old Pod", waits("Pending termination: 1"), { ...full, replicas: 2 }),
    row("without a Pod that answers", waits("Available: 0/1"), {
      ...{ replicas: 1, updatedReplicas: 1 },
    }),
    row("whose ReplicaSet is not told of", waits("ReplicaSet not Available"), full),
    row("not yet available", waits("Deployment not Available"), {
      ...{ ...full, conditions: [progressing] },
    }),
    row("at rest", rests("Deployment is available. Replicas: 1"), {
      ...{ ...full, conditions: [progressing, is("Available", "True")] },
    }),
    row("out of time", wrong("error", "late"), {
      conditions: [is("Progressing", "False", "late", "ProgressDeadlineExceeded")],
    }),
    row("that may not make Pods", wrong("error", "quota"), {
      conditions: [is("ReplicaFailure", "True", "quota")],
    }),
    row(
      "of another generation",
      waits("Deployment generation is 1, but latest observed generation is 7"),
      { observedGeneration: 7 },
    ),
  ],
};

const statefulSets: BuiltIn = {
  ...{ api: "/apis/apps/v1", plural: "statefulsets", list: "apps.statefulsets" },
  base: { spec: { ...workload, serviceName: "states" } },
  rows: [
    row("nobody looked at", waits("Replicas: 0/1")),
    row("not ready", waits("Ready: 0/1"), { replicas: 1 }),
    row("with a Pod too many", waits("Pending termination: 1"), { replicas: 2, readyReplicas: 1 }),
    row("not updated", waits("updated: 0/1"), { replicas: 1, readyReplicas: 1 }),
    row("at rest", rests("Partition rollout complete. updated: 1"), {
      ...{ replicas: 1, readyReplicas: 1, updatedReplicas: 1 },
    }),
    row(
      "that people update",
      rests("StatefulSet is using the ondelete update strategy"),
      undefined,
      {
        spec: { ...workload, serviceName: "states", updateStrategy: { type: "OnDelete" } },
      },
    ),
  ],
};

const replicaSets: BuiltIn = {
  ...{ api: "/apis/apps/v1", plural: "replicasets", list: "apps.replicasets" },
  base: { spec: workload },
  rows: [
    row("nobody looked at", waits("Labelled: 0/1")),
    row("not available", waits("Available: 0/1"), { replicas: 1, fullyLabeledReplicas: 1 }),
    row("with a Pod too many", waits("Pending termination: 1"), {
      ...{ replicas: 2, fullyLabeledReplicas: 1, readyReplicas: 1, availableReplicas: 1 },
    }),
    row("at rest", rests("ReplicaSet is available. Replicas: 1"), {
      ...{ replicas: 1, fullyLabeledReplicas: 1, readyReplicas: 1, availableReplicas: 1 },
    }),
    row("that may not make Pods", wrong("error", "quota"), {
      ...{ replicas: 0, conditions: [is("ReplicaFailure", "True", "quota")] },
    }),
  ],
};

const onOneNode = { observedGeneration: 1, desiredNumberScheduled: 1, numberMisscheduled: 0 };
const none = { currentNumberScheduled: 0, numberReady: 0 };

const daemonSets: BuiltIn = {
  ...{ api: "/apis/apps/v1", plural: "daemonsets", list: "apps.daemonsets" },
  base: { spec: workload },
  rows: [
    row("nobody looked at", waits("DaemonSet status.observedGeneration not found")),
    row("without Pods", waits("Current: 0/1"), { ...onOneNode, ...none }),
    row("not updated", waits("Updated: 0/1"), { ...onOneNode, ...none, currentNumberScheduled: 1 }),
    row("not available", waits("Available: 0/1"), {
      ...{ ...onOneNode, ...none, currentNumberScheduled: 1, updatedNumberScheduled: 1 },
    }),
    row("not ready", waits("Ready: 0/1"), {
      ...{ ...onOneNode, ...none, currentNumberScheduled: 1, updatedNumberScheduled: 1 },
      numberAvailable: 1,
    }),
    row("at rest", rests("All replicas scheduled as expected. Replicas: 1"), {
      ...{ ...onOneNode, currentNumberScheduled: 1, updatedNumberScheduled: 1 },
      ...{ numberAvailable: 1, numberReady: 1 },
    }),
  ],
};

const started = { startTime: "2026-01-01T00:00:00Z" };

const jobs: BuiltIn = {
  ...{ api: "/apis/batch/v1", plural: "jobs", list: "batch.jobs" },
  base: { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } },
  rows: [
    row("nobody looked at", waits("Job not started")),
    row("at work", rests("Job in progress. success:0, active: 1, failed: 0"), {
      ...{ ...started, active: 1 },
    }),
    row("done", rests("Job Completed. succeeded: 1/1"), {
      ...{ ...started, completionTime: "2026-01-01T00:01:00Z", succeeded: 1 },
      conditions: [is("SuccessCriteriaMet", "True"), is("Complete", "True")],
    }),
    row("failed", wrong("error", "broken"), {
      ...{ ...started, failed: 1 },
      conditions: [is("FailureTarget", "True"), is("Failed", "True", "broken")],
    }),
  ],
};

const running = { ready: true, restartCount: 0, name: "c", image: "x", imageID: "" };
const container = (now: Tree) => ({ containerStatuses: [{ ...running, state: now }] });
const ready = { conditions: [is("Ready", "True")] };

const pods: BuiltIn = {
  ...{ api: "/api/v1", plural: "pods", list: "pods" },
  base: { spec: { ...template.spec, automountServiceAccountToken: false } },
  rows: [
    row("that waits", state("pending")),
    row("without a node", wrong("pending", "no node"), {
      conditions: [is("PodScheduled", "False", "no node", "Unschedulable")],
    }),
    row("that is made", state("containerCreating"), {
      ...{ phase: "Pending", ...container({ waiting: { reason: "ContainerCreating" } }) },
    }),
    row("that runs", state("running"), {
      ...{ phase: "Running", ...ready, ...container({ running: {} }) },
    }),
    row("that crashes", state("crashLoopBackOff"), {
      ...{ phase: "Running", ...ready, ...container({ waiting: { reason: "CrashLoopBackOff" } }) },
    }),
    row("that has ended", state("completed"), {
      phase: "Succeeded",
      ...container({ terminated: { exitCode: 0, reason: "Completed" } }),
    }),
    row("that was killed", state("oomKilled"), {
      phase: "Failed",
      ...container({ terminated: { exitCode: 137, reason: "OOMKilled" } }),
    }),
  ],
};

const claims: BuiltIn = {
  ...{ api: "/api/v1", plural: "persistentvolumeclaims", list: "persistentvolumeclaims" },
  base: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
  rows: [
    row("that waits", state("pending")),
    row("that is bound", state("bound"), { phase: "Bound" }),
    row("that has lost its volume", state("lost"), { phase: "Lost" }),
  ],
};

const volumes: BuiltIn = {
  ...{ api: "/api/v1", plural: "persistentvolumes", list: "persistentvolumes" },
  isClusterScoped: true,
  base: {
    spec: {
      ...{ capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] },
      hostPath: { path: "/srv" },
    },
  },
  rows: [
    row("that is free", state("available"), { phase: "Available" }),
    row("that was used", state("released"), { phase: "Released" }),
  ],
};

const services: BuiltIn = {
  ...{ api: "/api/v1", plural: "services", list: "services" },
  base: { spec: { ports: [{ port: 80 }] } },
  rows: [
    row("inside", rests("Service is ready")),
    row(
      "that has no address yet",
      goesOn("pending", "Service is ready", "Load balancer is being provisioned"),
      ...([undefined, { spec: { ports: [{ port: 80 }], type: "LoadBalancer" } }] as const),
    ),
    row(
      "that has one",
      rests("Service is ready"),
      { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } },
      { spec: { ports: [{ port: 80 }], type: "LoadBalancer" } },
    ),
  ],
};

const nodes: BuiltIn = {
  ...{ api: "/api/v1", plural: "nodes", list: "nodes", isClusterScoped: true },
  base: {},
  rows: [
    row("that is ready", rests("Resource is Ready"), { conditions: [is("Ready", "True")] }),
    row("that is not", goesOn("unavailable", "down"), {
      conditions: [is("Ready", "False", "down")],
    }),
    row("that is silent", wrong("unavailable", "lost"), {
      conditions: [is("Ready", "Unknown", "lost")],
    }),
    ...["OutOfDisk", "MemoryPressure", "DiskPressure", "NetworkUnavailable"].map((type) =>
      row(`with ${type}`, wrong("error", "full"), { conditions: [is(type, "True", "full")] }),
    ),
    row("that failed by another kind's table", active, { conditions: [is("Failed", "True")] }),
  ],
};

const plain = (
  api: string,
  plural: string,
  list: string,
  base: Tree,
  message: string,
): BuiltIn => ({
  ...{ api, plural, list, base },
  rows: [row("as it is", rests(message))],
});
const cron = { schedule: "0 0 1 1 *", jobTemplate: { spec: jobs.base.spec } };

/** All of them. */
export const builtIns: readonly BuiltIn[] = [
  ...[deployments, statefulSets, replicaSets, daemonSets, jobs, pods, claims, volumes],
  ...[services, nodes],
  plain("/api/v1", "configmaps", "configmaps", {}, "Resource is always ready"),
  plain("/api/v1", "secrets", "secrets", {}, "Resource is always ready"),
  plain("/apis/batch/v1", "cronjobs", "batch.cronjobs", { spec: cron }, "Resource is always ready"),
  plain("/api/v1", "serviceaccounts", "serviceaccounts", {}, "Resource is current"),
  plain(
    ...(["/apis/policy/v1", "poddisruptionbudgets", "policy.poddisruptionbudgets"] as const),
    { spec: { minAvailable: 1, selector: workload.selector } },
    "AllowedDisruptions has been computed.",
  ),
];

/** Objects and how they are, for the tests of this folder and for those that send them to a real API server. */

import type { Summary } from "./summary.ts";

/** When the objects of these tables are looked at, in milliseconds. */
export const now: number = Date.parse("2026-01-01T00:00:00Z");

/** An object as the tables write it. */
export interface Shape {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

/** A condition: its type, status, message and reason. */
export const is = (
  type: string,
  status: string,
  message = "",
  reason = "",
): Readonly<Record<string, string>> => ({
  type,
  status,
  message,
  reason,
});

/** An object of a kind that nobody knows. */
const thing = (...conditions: readonly unknown[]): Shape => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  status: { conditions },
});

/** An object of a kind. */
export const like = (apiVersion: string, kind: string, rest: Shape = {}): Shape => ({
  apiVersion,
  kind,
  ...rest,
});

/** An object, and what a summary of it has among others. */
export type Case = readonly [title: string, object: Shape, expected: Partial<Summary>];

/** Nothing is wrong, and nothing goes on. */
export const active: Partial<Summary> = { state: "active", error: false, transitioning: false };
/** Something goes on. */
export const goesOn = (state: string, ...messages: readonly string[]): Partial<Summary> => ({
  state,
  error: false,
  transitioning: true,
  messages,
});
/** Something is wrong. */
export const wrong = (state: string, ...messages: readonly string[]): Partial<Summary> => ({
  state,
  error: true,
  transitioning: false,
  messages,
});

/** Of kinds without rules of their own. */
export const general: readonly Case[] = [
  ["nothing at all", {}, { ...active, messages: ["Resource is current"] }],
  [
    "status.display before status.summary",
    { status: { display: { state: "Foo", message: "m" }, summary: { state: "Bar" } } },
    { state: "foo", messages: ["m"] },
  ],
  [
    "the first of several messages of status.summary",
    { status: { summary: { state: "Bar", message: ["a", "b"] } } },
    { state: "bar", messages: ["a"] },
  ],
  [
    "status.summary when status.display is empty",
    { status: { display: {}, summary: { state: "Bar", error: true, transitioning: "true" } } },
    { state: "bar", error: true, transitioning: true },
  ],
  ["Stalled=True", thing(is("Stalled", "True", "no way")), wrong("error", "no way")],
  [
    "a reason Error of any condition",
    thing(is("Whatever", "False", "oops", "Error")),
    wrong("error", "oops"),
  ],
  [
    "Provisioned=False",
    thing(is("Provisioned", "False", "broken")),
    wrong("provisioning", "broken"),
  ],
  [
    "Provisioned=Unknown",
    thing(is("Provisioned", "Unknown", "working")),
    goesOn("provisioning", "working"),
  ],
  [
    "an error in place of what goes on",
    thing(is("Updated", "Unknown", "a"), is("Saved", "False", "b")),
    { ...wrong("saving", "a", "b"), transitioning: true },
  ],
  ["NodeHealthy by its reason", thing(is("NodeHealthy", "Unknown", "", "Lost")), goesOn("lost")],
  ["Reconciling=True", thing(is("Reconciling", "True", "at it")), goesOn("reconciling", "at it")],
  [
    "Available=False before Ready=False",
    thing(is("Ready", "False", "no"), is("Available", "False", "few")),
    goesOn("updating", "few"),
  ],
  ["Ready=False at last", thing(is("Ready", "False", "no")), goesOn("unavailable", "no")],
  [
    "Ready=False that only counts",
    thing(is("Ready", "False", "1 of 2 completed")),
    goesOn("unavailable"),
  ],
  ["Ready=Unknown", thing(is("Ready", "Unknown", "lost")), wrong("unavailable", "lost")],
  [
    "conditions in the annotation",
    {
      metadata: {
        annotations: {
          "cattle.io/status": JSON.stringify({ conditions: [is("Ready", "False", "no")] }),
        },
      },
    },
    goesOn("unavailable", "no"),
  ],
  [
    "an annotation that is no JSON",
    { metadata: { annotations: { "cattle.io/status": "{" } } },
    active,
  ],
  ["conditions that are none", { status: { conditions: [1, null, "x", []] } }, active],
  ["spec.active", { spec: { active: false } }, { state: "inactive" }],
  ["spec.active that is true", { spec: { active: true } }, active],
  ["a phase", { status: { phase: "Strange" } }, { state: "strange" }],
  [
    "Bound, whatever goes on",
    { status: { phase: "Bound", conditions: [is("Updated", "Unknown")] } },
    { ...active, state: "bound" },
  ],
  ["Succeeded, as Bound", { status: { phase: "Succeeded" } }, { ...active, state: "succeeded" }],
  [
    "a state before a phase",
    { status: { phase: "Strange", conditions: [is("Updated", "Unknown")] } },
    goesOn("updating"),
  ],
  [
    "what norman has just made",
    {
      apiVersion: "management.cattle.io/v3",
      metadata: { created: new Date(now - 1000).toISOString() },
      status: { conditions: [] },
    },
    goesOn("initializing"),
  ],
  [
    "what was removed long ago",
    {
      metadata: {
        removed: "2025-12-31T23:00:00Z",
        finalizers: ["controller.cattle.io/foregroundDeletion"],
      },
    },
    { ...wrong("removing", "waiting on object cleanup"), transitioning: true },
  ],
  [
    "a generation that nobody has seen",
    { metadata: { generation: 2 }, status: { observedGeneration: 1 }, kind: "Thing" },
    goesOn("in-progress", "Thing generation is 2, but latest observed generation is 1"),
  ],
  [
    "what is being deleted",
    { metadata: { deletionTimestamp: "2025-12-31T23:00:00Z" } },
    goesOn("removing", "Resource scheduled for deletion"),
  ],
  [
    "the same message twice, and spaces",
    thing(is("Updated", "Unknown", " a "), is("Saved", "False", "a")),
    { messages: ["a"] },
  ],
];

/** Of kinds of Kubernetes; some as no API server has them. */
export const ofKinds: readonly Case[] = [
  [
    "a Namespace",
    like("v1", "Namespace", { status: { phase: "Terminating" } }),
    { state: "terminating" },
  ],
  ["a ConfigMap", like("v1", "ConfigMap"), { ...active, messages: ["Resource is always ready"] }],
  [
    "a Node under pressure",
    like("v1", "Node", { status: { conditions: [is("DiskPressure", "True", "full")] } }),
    wrong("error", "full"),
  ],
  [
    "a Node that has failed by another's table",
    like("v1", "Node", { status: { conditions: [is("Failed", "True", "x")] } }),
    active,
  ],
  [
    "a Deployment out of time",
    like("apps/v1", "Deployment", {
      status: { conditions: [is("Progressing", "False", "late", "ProgressDeadlineExceeded")] },
    }),
    wrong("error", "late"),
  ],
  [
    "a Deployment that grows",
    like("apps/v1", "Deployment", { spec: { replicas: 2 }, status: { replicas: 1 } }),
    goesOn("in-progress", "Replicas: 1/2"),
  ],
  [
    "a Deployment at rest",
    like("apps/v1", "Deployment", {
      spec: { replicas: 0 },
      status: { conditions: [is("Available", "True")] },
    }),
    { ...active, messages: ["Deployment is available. Replicas: 0"] },
  ],
  [
    "a StatefulSet that people update",
    like("apps/v1", "StatefulSet", { spec: { updateStrategy: { type: "OnDelete" } } }),
    active,
  ],
  [
    "a StatefulSet between revisions",
    like("apps/v1", "StatefulSet", { spec: { replicas: 0 }, status: { updateRevision: "b" } }),
    goesOn("in-progress", "Waiting for updated revision to match current"),
  ],
  [
    "a DaemonSet that nobody saw",
    like("apps/v1", "DaemonSet", { metadata: { generation: 1 } }),
    goesOn("in-progress", "DaemonSet status.observedGeneration not found"),
  ],
  [
    "a ReplicaSet that shrinks",
    like("apps/v1", "ReplicaSet", { spec: { replicas: 0 }, status: { replicas: 1 } }),
    goesOn("in-progress", "Pending termination: 1"),
  ],
  [
    "a Pod, by its phase",
    like("v1", "Pod", { status: { phase: "Running" } }),
    { ...active, state: "running" },
  ],
  [
    "a Pod that crashes",
    like("v1", "Pod", {
      status: {
        conditions: [is("PodScheduled", "False", "no node", "Unschedulable")],
        phase: "Pending",
      },
    }),
    wrong("scheduling", "no node"),
  ],
  [
    "a claim",
    like("v1", "PersistentVolumeClaim"),
    goesOn("in-progress", "PVC is not Bound. phase: unknown"),
  ],
  [
    "a Job that ended",
    like("batch/v1", "Job", {
      spec: { completions: 2 },
      status: { succeeded: 2, conditions: [is("Complete", "True")] },
    }),
    { ...active, messages: ["Job Completed. succeeded: 2/2"] },
  ],
  [
    "a Job that runs",
    like("batch/v1", "Job", { status: { startTime: "x", active: 1 } }),
    { ...active, messages: ["Job in progress. success:0, active: 1, failed: 0"] },
  ],
  [
    "a load balancer without address",
    like("v1", "Service", { spec: { type: "LoadBalancer", clusterIP: "10.0.0.1" } }),
    goesOn("pending", "Service is ready", "Load balancer is being provisioned"),
  ],
  [
    "a CRD with taken names",
    like("apiextensions.k8s.io/v1", "CustomResourceDefinition", {
      status: { conditions: [is("NamesAccepted", "False", "taken")] },
    }),
    wrong("failed", "taken"),
  ],
  [
    "a HelmChart whose Job is there",
    like("helm.cattle.io/v1", "HelmChart", { status: { conditions: [is("JobCreated", "True")] } }),
    active,
  ],
  [
    "a HelmChart that failed",
    like("helm.cattle.io/v1", "HelmChart", {
      status: { conditions: [is("Failed", "True", "x"), is("JobCreated", "True")] },
    }),
    wrong("error", "x"),
  ],
];

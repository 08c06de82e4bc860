import { expect } from "chai";
import { flagsOf, type Summary, summarize } from "./summary.ts";

const now = Date.parse("2026-01-01T00:00:00Z");

interface Shape {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

/** A condition: its type, status, message and reason. */
const is = (type: string, status: string, message = "", reason = "") => ({
  type,
  status,
  message,
  reason,
});

const thing = (...conditions: readonly unknown[]): Shape => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  status: { conditions },
});

const like = (apiVersion: string, kind: string, rest: Shape = {}): Shape => ({
  apiVersion,
  kind,
  ...rest,
});

type Case = readonly [title: string, object: Shape, expected: Partial<Summary>];

const active = { state: "active", error: false, transitioning: false };
const goesOn = (state: string, ...messages: readonly string[]) => ({
  state,
  error: false,
  transitioning: true,
  messages,
});
const wrong = (state: string, ...messages: readonly string[]) => ({
  state,
  error: true,
  transitioning: false,
  messages,
});

const general: readonly Case[] = [
  ["nothing at all", {}, { ...active, messages: ["Resource is current"] }],
  [
    "status.display before status.summary",
    { status: { display: { state: "Foo", message: "m" }, summary: { state: "Bar" } } },
    { state: "foo", messages: ["m"] },
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
  ["a phase", { status: { phase: "Strange" } }, { state: "strange" }],
  [
    "Bound, whatever goes on",
    { status: { phase: "Bound", conditions: [is("Updated", "Unknown")] } },
    { ...active, state: "bound" },
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

const ofKinds: readonly Case[] = [
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
    "a HelmChart that failed",
    like("helm.cattle.io/v1", "HelmChart", {
      status: { conditions: [is("Failed", "True", "x"), is("JobCreated", "True")] },
    }),
    wrong("error", "x"),
  ],
];

const machine = (...conditions: readonly unknown[]): Shape =>
  like("cluster.x-k8s.io/v1beta2", "Machine", { status: { conditions } });
const machines = (spec: number, status: Readonly<Record<string, unknown>>): Shape =>
  like("cluster.x-k8s.io/v1beta1", "MachineDeployment", { spec: { replicas: spec }, status });
const cluster = (status: Readonly<Record<string, unknown>>): Shape =>
  like("cluster.x-k8s.io/v1beta2", "Cluster", { status });
const operation = (...conditions: readonly unknown[]): Shape =>
  like("operation.cattle.io/v1alpha1", "ETCDSnapshotSave", { status: { conditions } });

const special: readonly Case[] = [
  [
    "a Machine that is drained",
    machine(is("Deleting", "True", "Drain not completed yet (x)")),
    goesOn("deleting", "Draining node"),
  ],
  ["a Machine that is paused", machine(is("Paused", "True", "x")), goesOn("paused")],
  [
    "a Machine not reconciled",
    machine(is("Reconciled", "False", "bad"), is("Ready", "True")),
    wrong("reconciling", "bad"),
  ],
  [
    "a Machine without data",
    machine(
      is(
        "Ready",
        "False",
        "* BootstrapConfigReady: status.initialization.dataSecretCreated is false",
      ),
    ),
    goesOn("waitingforinfrastructure"),
  ],
  [
    "a Machine without infrastructure",
    machine(is("Ready", "False", "* InfrastructureReady: quota\n* Other: x")),
    goesOn("waitingfornoderef", "quota"),
  ],
  [
    "a Machine of which nobody knows",
    machine(is("Ready", "Unknown", "* NodeHealthy:\n  * Kubelet: silent")),
    goesOn("reconciling", "silent"),
  ],
  [
    "Machines that roll out",
    machines(2, { replicas: 3, upToDateReplicas: 1, conditions: [is("RollingOut", "True")] }),
    goesOn("rollingout", "rolling out 2 not up-to-date replicas"),
  ],
  [
    "Machines that go",
    machines(1, { replicas: 3 }),
    goesOn("scalingdown", "Scaling down from 3 to 1 replicas, waiting for machines to be deleted"),
  ],
  [
    "Machines that come",
    machines(3, { readyReplicas: 1 }),
    goesOn("scalingup", "Scaling up from 1 to 3 replicas, waiting for machines to be ready"),
  ],
  [
    "a Cluster that grows",
    cluster({ workers: { desiredReplicas: 2, readyReplicas: 1 } }),
    goesOn("updating", "Scaling up from 1 to 2 machines"),
  ],
  [
    "a Cluster that cannot be reached",
    cluster({ conditions: [is("Available", "False", "* RemoteConnectionProbe: x")] }),
    goesOn("updating", "establishing connection to control plane"),
  ],
  [
    "a Cluster of which nobody knows",
    cluster({ conditions: [is("Available", "Unknown", "x")] }),
    wrong("unavailable", "x"),
  ],
  [
    "a Cluster whose workers go",
    cluster({ conditions: [is("Deleting", "True", "* MachineDeployments a, b")] }),
    goesOn("deleting", "waiting for workers deletion"),
  ],
  ["an operation before all conditions", operation(), goesOn("pending")],
  [
    "an operation at work",
    operation(is("Pending", "True"), is("InProgress", "True", "saving")),
    goesOn("in-progress", "saving"),
  ],
  [
    "an operation that failed",
    operation(is("InProgress", "True"), is("Failed", "True", "disk")),
    wrong("failed", "disk"),
  ],
  [
    "an operation that is done",
    operation(is("Succeeded", "True")),
    { ...active, state: "succeeded" },
  ],
];

describe("summarize", () => {
  for (const [title, object, expected] of [...general, ...ofKinds, ...special]) {
    it(`tells of ${title}`, () => {
      expect(summarize(object, { now })).to.deep.include(expected);
    });
  }

  it("waits for a custom resource's controller only where the schema has observedGeneration", () => {
    const unseen = { metadata: { generation: 1 }, status: { phase: "" }, kind: "Thing" };

    // Found current before the step that asks for the generation, as upstream.
    expect(summarize(unseen, { now, observesGeneration: true }).state).to.equal("active");
  });

  it("takes a Pod that cannot be placed for failed after 15 s", () => {
    const pod = (age: number): Shape => ({
      ...like("v1", "Pod"),
      metadata: { creationTimestamp: new Date(now - age).toISOString() },
      status: { conditions: [is("PodScheduled", "False", "", "Unschedulable")] },
    });

    expect(summarize(pod(1000), { now })).to.deep.include({ state: "scheduling", error: true });
  });
});

describe("flagsOf", () => {
  const flags: readonly (readonly [
    title: string,
    apiVersion: string,
    condition: unknown,
    error: boolean,
    transitioning: boolean,
  ])[] = [
    ["Ready=True", "v1", is("Ready", "True"), false, false],
    ["Ready=False", "v1", is("Ready", "False", "no"), false, true],
    ["Ready=False of Rancher's", "management.cattle.io/v3", is("Ready", "False", "no"), true, true],
    ["PodScheduled=False", "v1", is("PodScheduled", "False"), true, false],
    ["Updated=Unknown", "v1", is("Updated", "Unknown"), false, true],
    ["a reason Error", "v1", is("Foo", "True", "", "Error"), true, false],
  ];

  for (const [title, apiVersion, condition, error, transitioning] of flags) {
    it(`knows ${title}`, () => {
      const object = { apiVersion, kind: "Thing", status: { conditions: [condition] } };

      expect(flagsOf(object, condition, { now })).to.deep.equal({ error, transitioning });
    });
  }
});

import { expect } from "chai";
import { is, like, now, type Shape } from "./cases.test.support.ts";
import { conditionsOf, identityOf } from "./draft.ts";
import { standingOf } from "./kstatus.ts";

/** A Pod of a status, made so many milliseconds ago. */
const pod = (status: Readonly<Record<string, unknown>>, age = 60_000): Shape =>
  like("v1", "Pod", {
    metadata: { creationTimestamp: new Date(now - age).toISOString() },
    status,
  });
const unschedulable = {
  phase: "Pending",
  conditions: [is("PodScheduled", "False", "", "Unschedulable")],
};
const crashing = { name: "c", state: { waiting: { reason: "CrashLoopBackOff" } } };
const statefulSet = (
  status: Readonly<Record<string, unknown>>,
  rollingUpdate?: Readonly<Record<string, unknown>>,
): Shape =>
  like("apps/v1", "StatefulSet", {
    spec: { replicas: 2, updateStrategy: { type: "RollingUpdate", rollingUpdate } },
    status: { replicas: 2, readyReplicas: 2, ...status },
  });
const crd = (...conditions: readonly unknown[]): Shape =>
  like("apiextensions.k8s.io/v1", "CustomResourceDefinition", { status: { conditions } });

type Row = readonly [title: string, object: Shape, standing: string, message: string];

/** What a summary asks for last, and an API server's objects mostly have a phase or a condition before: so it is asked for directly. */
const rows: readonly Row[] = [
  ["a Pod without a phase", pod({}), "InProgress", "Pod phase not available"],
  ["a Pod that waits", pod({ phase: "Pending" }), "InProgress", "Pod is in the Pending phase"],
  [
    "a Pod that has had no node for a second",
    ...([pod(unschedulable, 1000), "InProgress", "Pod has not been scheduled"] as const),
  ],
  [
    "a Pod that has had no node for a minute",
    ...([pod(unschedulable), "Failed", "Pod could not be scheduled"] as const),
  ],
  [
    "a Pod that is ready",
    pod({ phase: "Running", conditions: [is("Ready", "True")] }),
    ...(["Current", "Pod is Ready"] as const),
  ],
  [
    "a Pod that is not ready",
    ...([pod({ phase: "Running" }), "InProgress", "Pod is running but is not Ready"] as const),
  ],
  [
    "a Pod that crashes",
    pod({ phase: "Running", containerStatuses: [crashing, { name: "d" }] }),
    ...(["Failed", "Containers in CrashLoop state: c"] as const),
  ],
  [
    "a Pod that has ended",
    ...([pod({ phase: "Succeeded" }), "Current", "Pod has completed successfully"] as const),
  ],
  [
    "a Pod that has failed",
    ...([pod({ phase: "Failed" }), "Current", "Pod has completed, but not successfully"] as const),
  ],
  [
    "a StatefulSet without a partition",
    ...([statefulSet({ currentReplicas: 1 }), "InProgress", "current: 1/2"] as const),
  ],
  [
    "a StatefulSet between revisions",
    statefulSet({ currentReplicas: 2, currentRevision: "a", updateRevision: "b" }),
    ...(["InProgress", "Waiting for updated revision to match current"] as const),
  ],
  [
    "a StatefulSet at rest",
    statefulSet({ currentReplicas: 2, currentRevision: "a", updateRevision: "a" }),
    ...(["Current", "All replicas scheduled as expected. Replicas: 2"] as const),
  ],
  [
    "a StatefulSet of which a part is updated",
    ...([statefulSet({}, { partition: 1 }), "InProgress", "updated: 0/1"] as const),
  ],
  [
    "a claim that is bound",
    like("v1", "PersistentVolumeClaim", { status: { phase: "Bound" } }),
    ...(["Current", "PVC is Bound"] as const),
  ],
  [
    "a load balancer without an address inside",
    like("v1", "Service", { spec: { type: "LoadBalancer" } }),
    ...(["InProgress", "ClusterIP not set. Service type: LoadBalancer"] as const),
  ],
  ["a CRD that is new", crd(), "InProgress", "Install in progress"],
  [
    "a CRD that is being installed",
    ...([crd(is("Established", "False", "m", "Installing")), "InProgress"] as const),
    "Install in progress",
  ],
  [
    "a CRD that cannot be established",
    ...([crd(is("Established", "False", "no", "Broken")), "Failed", "no"] as const),
  ],
  ["a CRD", crd(is("Established", "True")), "Current", "CRD is established"],
  [
    "what stalls",
    like("x.io/v1", "Thing", { status: { conditions: [is("Stalled", "True", "no way")] } }),
    ...(["Failed", "no way"] as const),
  ],
  [
    "what reconciles",
    like("x.io/v1", "Thing", { status: { conditions: [is("Reconciling", "True", "at it")] } }),
    ...(["InProgress", "at it"] as const),
  ],
];

describe("standingOf", () => {
  for (const [title, object, standing, message] of rows) {
    it(`tells of ${title}`, () => {
      const conditions = conditionsOf(object);
      const subject = {
        object,
        ...identityOf(object),
        conditions,
        observesGeneration: false,
        errorStatuses: undefined,
        now,
      };

      expect(standingOf(subject)).to.deep.equal({ standing, message });
    });
  }

  it("tells nothing of a Pod in a phase that there is none of", () => {
    const object = pod({ phase: "Strange" });
    const subject = {
      object,
      ...identityOf(object),
      conditions: [],
      observesGeneration: false,
      errorStatuses: undefined,
      now,
    };

    expect(standingOf(subject)).to.equal(undefined);
  });
});

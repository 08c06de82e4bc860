/** Objects of kinds with rules of their own, and how they are. */

import { active, type Case, goesOn, is, like, type Shape, wrong } from "./cases.test.support.ts";

const machine = (...conditions: readonly unknown[]): Shape =>
  like("cluster.x-k8s.io/v1beta2", "Machine", { status: { conditions } });
const machines = (spec: number, status: Readonly<Record<string, unknown>>): Shape =>
  like("cluster.x-k8s.io/v1beta1", "MachineDeployment", { spec: { replicas: spec }, status });
const cluster = (status: Readonly<Record<string, unknown>>): Shape =>
  like("cluster.x-k8s.io/v1beta2", "Cluster", { status });
const operation = (...conditions: readonly unknown[]): Shape =>
  like("operation.cattle.io/v1alpha1", "ETCDSnapshotSave", { status: { conditions } });
const otherOperations = ["EncryptionKeyRotation", "ETCDSnapshotRestore", "CertificateRotation"];

/** Of kinds of Cluster API and of Rancher. */
export const special: readonly Case[] = [
  [
    "a Machine that is drained",
    machine(is("Deleting", "True", "Drain not completed yet (x)")),
    goesOn("deleting", "Draining node"),
  ],
  ["a Machine that is deleted", machine(is("Deleting", "True", "x")), goesOn("deleting", "x")],
  ["a Machine that is paused", machine(is("Paused", "True", "x")), goesOn("paused")],
  [
    "a Machine not reconciled",
    machine(is("Reconciled", "False", "bad"), is("Ready", "True")),
    wrong("reconciling", "bad"),
  ],
  [
    "a Machine of which nobody knows whether it is reconciled",
    machine(is("Reconciled", "Unknown", "m")),
    goesOn("reconciling", "m"),
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
    "Machines that are deleted",
    machines(1, { conditions: [is("Deleting", "True", "x")] }),
    goesOn("deleting", "x"),
  ],
  [
    "Machines that are paused",
    machines(1, { conditions: [is("Paused", "True")] }),
    goesOn("paused"),
  ],
  [
    "Machines of which the condition says that they go",
    machines(1, { conditions: [is("ScalingDown", "True")] }),
    goesOn("scalingdown"),
  ],
  [
    "Machines of which the condition says that they come",
    machines(1, { conditions: [is("ScalingUp", "True")] }),
    goesOn("scalingup"),
  ],
  [
    "a MachineSet that grows",
    like("cluster.x-k8s.io/v1beta2", "MachineSet", {
      spec: { replicas: 2 },
      status: { readyReplicas: 1 },
    }),
    goesOn("scalingup", "Scaling up from 1 to 2 replicas, waiting for machines to be ready"),
  ],
  ["a Cluster that is paused", cluster({ conditions: [is("Paused", "True")] }), goesOn("paused")],
  [
    "a Cluster that rolls out",
    cluster({
      workers: { replicas: 2, upToDateReplicas: 1 },
      conditions: [is("RollingOut", "True")],
    }),
    goesOn("rollingout", "rolling out 1 not up-to-date replicas"),
  ],
  [
    "a Cluster that shrinks",
    cluster({ workers: { desiredReplicas: 1, replicas: 2 } }),
    goesOn("updating", "Scaling down from 2 to 1 machines"),
  ],
  [
    "a Cluster of which the condition says that it grows",
    cluster({ conditions: [is("ScalingUp", "True")] }),
    goesOn("updating"),
  ],
  [
    "a Cluster without control plane",
    cluster({ conditions: [is("Available", "False", "* ControlPlaneAvailable: x")] }),
    goesOn("updating", "Waiting for control plane to be available"),
  ],
  [
    "a Cluster without workers",
    cluster({ conditions: [is("Available", "False", "* MachineDeployment: x")] }),
    goesOn("updating", "Waiting for workers to be available"),
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
    "an operation that was canceled",
    operation(is("Succeeded", "True"), is("Canceled", "True", "enough")),
    wrong("canceled", "enough"),
  ],
  [
    "an operation that is done",
    operation(is("Succeeded", "True")),
    { ...active, state: "succeeded" },
  ],
  [
    "an operation that is paused",
    operation(is("Pending", "True"), is("Paused", "True")),
    goesOn("paused"),
  ],
  ["an operation that waits", operation(is("Pending", "True")), goesOn("pending")],
  ...otherOperations.map((kind): Case => {
    const status = { conditions: [is("Failed", "True", "disk")] };
    return [
      `a failed ${kind}`,
      like("operation.cattle.io/v1alpha1", kind, { status }),
      wrong("failed", "disk"),
    ];
  }),
];

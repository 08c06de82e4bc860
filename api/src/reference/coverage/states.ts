/**
 * How objects are, and what they have to do with others. Rows in cases are sent to an API server by lists/states, but for those that say that it keeps no such object, and
 * tried by themselves beside them.
 */

import { row, type Tables, v1 } from "./row.ts";

const cases = `${v1}/summary/cases.test.support.ts`;
const special = `${v1}/summary/special.test.support.ts`;
const conditions = `${v1}/summary/conditions.test.support.ts`;
const mapping = `${v1}/summary/error-mapping.test.ts`;
const alone = `${v1}/summary/kstatus.test.ts`;
const own = `${v1}/lists/states/own-kinds.cluster.test.ts`;
const builtIn = `${v1}/lists/states/built-in.cluster.test.ts`;
const rows = `${v1}/lists/states/built-in.test.support.ts`;
const edges = `${v1}/lists/states/relationships.cluster.test.ts`;

/** States, conditions, relationships. */
export const ofStates: Tables = {
  "State: the steps": [
    row("status.display, status.summary", cases, "status.display before status.summary"),
    row("errors", cases, "a reason Error of any condition"),
    row("errors take the place of nothing and of active alone", cases, '"Provisioned=False"'),
    row("transitioning", cases, "an error in place of what goes on"),
    row("spec.active", cases, '"spec.active"'),
    row("phase", cases, '"a phase"'),
    row("phase, where nothing was found before", cases, '"a state before a phase"'),
    row("Bound", cases, "Bound, whatever goes on"),
    row("Succeeded", cases, "Succeeded, as Bound"),
    row(
      "initializing (of norman: no API server keeps metadata.created)",
      cases,
      "what norman has just made",
    ),
    row("metadata.removed (of norman: no API server keeps it)", cases, "what was removed long ago"),
    row(
      "metadata.created and metadata.removed, as an API server keeps them",
      own,
      "do not depend on what norman alone writes, as an API server keeps none of it",
    ),
    row("kstatus", own, "are removing while a finalizer keeps what was deleted"),
    row("load balancer", rows, "that has no address yet"),
    row(
      "observed generation: never asked for, as kstatus knows a state before",
      own,
      "are current before anybody asks for the generation that their controller has seen",
    ),
    row("messages", cases, "the same message twice, and spaces"),
    row("conditions in an annotation", cases, "conditions in the annotation"),
    row("flags of one condition", own, "have conditions that tell of themselves"),
    row(
      "Namespace: active, terminating",
      builtIn,
      "namespaces are active, and terminating until nothing is in them",
    ),
    row("PersistentVolumeClaim: pending, bound", rows, "that is bound"),
    row("PersistentVolume: available, released", rows, "that was used"),
    row("Node", rows, "that is ready"),
  ],
  "State: conditions": [
    ...["HelmChart", "Node", "Deployment", "ReplicaSet", "Thing"].map((kind) =>
      row(`errors of ${kind === "Thing" ? "others" : kind}`, conditions, `"${kind}"`),
    ),
    row(
      "CATTLE_WRANGLER_CHECK_GVK_ERROR_MAPPING: other statuses for a condition",
      mapping,
      `"Failed=False", isError: true`,
    ),
    row(
      "CATTLE_WRANGLER_CHECK_GVK_ERROR_MAPPING: what cannot be read is passed over",
      "server/src/api.test.ts",
      "is as always, with a warning, where that cannot be read",
    ),
    row("errors of HelmChart: never JobCreated", cases, "a HelmChart whose Job is there"),
    row("40 types until they are True: False, Unknown", conditions, "untilTrue"),
    row("5 types while they are True", conditions, "whileTrue"),
    row("6 types while they are False: False, Unknown", conditions, "whileFalse"),
    row("Ready=False comes last", cases, "Available=False before Ready=False"),
    row("Ready=False that only counts", cases, "Ready=False that only counts"),
    row("a Pod without a node is an error", rows, "without a node"),
  ],
  "State: kinds with rules of their own": [
    ...[
      ["Machine: Deleting", "a Machine that is deleted"],
      ["Machine: drained", "a Machine that is drained"],
      ["Machine: Paused", "a Machine that is paused"],
      ["Machine: Reconciled=Unknown", "a Machine of which nobody knows whether it is reconciled"],
      ["Machine: Reconciled=False", "a Machine not reconciled"],
      ["Machine: Ready=False, bootstrap", "a Machine without data"],
      ["Machine: Ready=False, infrastructure", "a Machine without infrastructure"],
      ["Machine: Ready=Unknown", "a Machine of which nobody knows"],
      ["MachineSet, MachineDeployment: Deleting", "Machines that are deleted"],
      ["MachineSet, MachineDeployment: Paused", "Machines that are paused"],
      ["MachineSet, MachineDeployment: RollingOut", "Machines that roll out"],
      [
        "MachineSet, MachineDeployment: ScalingDown",
        "Machines of which the condition says that they go",
      ],
      ["MachineSet, MachineDeployment: fewer wanted", "Machines that go"],
      [
        "MachineSet, MachineDeployment: ScalingUp",
        "Machines of which the condition says that they come",
      ],
      ["MachineSet, MachineDeployment: more wanted", "Machines that come"],
      ["Cluster: Deleting", "a Cluster whose workers go"],
      ["Cluster: Paused", "a Cluster that is paused"],
      ["Cluster: RollingOut", "a Cluster that rolls out"],
      ["Cluster: workers by condition", "a Cluster of which the condition says that it grows"],
      ["Cluster: more workers wanted", "a Cluster that grows"],
      ["Cluster: fewer workers wanted", "a Cluster that shrinks"],
      ["Cluster: RemoteConnectionProbe", "a Cluster that cannot be reached"],
      ["Cluster: ControlPlaneAvailable", "a Cluster without control plane"],
      ["Cluster: MachineDeployment", "a Cluster without workers"],
      ["Cluster: Available=Unknown", "a Cluster of which nobody knows"],
      ["operations: four kinds", "otherOperations"],
      ["operations: Failed", "an operation that failed"],
      ["operations: Canceled", "an operation that was canceled"],
      ["operations: Succeeded", "an operation that is done"],
      ["operations: Paused", "an operation that is paused"],
      ["operations: InProgress", "an operation at work"],
      ["operations: Pending", "an operation that waits"],
      ["operations: no conditions", "an operation before all conditions"],
    ].map(([text = "", test = ""]) => row(text, special, test)),
  ],
  "State: kstatus": [
    row("any: deletion", own, "are removing while a finalizer keeps what was deleted"),
    row("any: generation", own, "a generation that nobody has seen"),
    row("any: Reconciling", cases, '"Reconciling=True"'),
    row("any: Stalled", cases, '"Stalled=True"'),
    row("Deployment", rows, "const deployments"),
    row("StatefulSet", rows, "const statefulSets"),
    row(
      "StatefulSet: revisions (no API server leaves out the partition)",
      alone,
      "a StatefulSet between revisions",
    ),
    row("ReplicaSet", rows, "const replicaSets"),
    row("DaemonSet", rows, "const daemonSets"),
    row("PersistentVolumeClaim (an API server's has a phase)", alone, "a claim that is bound"),
    row("Pod (an API server's has a phase)", alone, "a Pod that crashes"),
    row("Job", rows, "const jobs"),
    row("Service", rows, "const services"),
    row(
      "Service without clusterIP (an API server's has one)",
      alone,
      "a load balancer without an address inside",
    ),
    row(
      "CustomResourceDefinition",
      builtIn,
      "definitions of kinds are active when they are established, failed when others have their names",
    ),
    row("ConfigMap, Secret, CronJob", rows, '"Resource is always ready"'),
    row("PodDisruptionBudget", rows, '"AllowedDisruptions has been computed."'),
    row("others", rows, '"Resource is current"'),
  ],
  Relationships: [
    row("owner", edges, 'from("owner"'),
    row("owner, from the other end", edges, 'to("owner"'),
    row("applies", edges, 'from("applies"'),
    row("applies, from the other end", edges, 'to("applies"'),
    row("selects", edges, 'choose("selects"'),
    ...["Deployment", "DaemonSet", "StatefulSet", "ReplicaSet", "Job"].map((kind) =>
      row(
        `creates: ${kind}`,
        edges,
        `workload("${kind.toLowerCase()}")`.replace('workload("job")', 'batch("job")'),
      ),
    ),
    row("uses: volumes", edges, '"mounted"'),
    row("uses: projected volumes", edges, '"inner"'),
    row("uses: envFrom", edges, "envFrom"),
    row("uses: valueFrom", edges, "valueFrom"),
    row("uses: serviceAccountName", edges, '"robot"'),
    row("uses: imagePullSecrets", edges, '"registry"'),
    row("uses, by a template", edges, "const ofTemplate"),
    row("uses, from the other end", edges, 'from("uses"'),
    row("helmresource", edges, 'to("helmresource"'),
    row("helmresource, from the other end", edges, 'from("helmresource"'),
    row("states of the others", edges, "tells how the others are"),
    row(
      "inbound, until it is no more",
      `${v1}/inventory/inventory.cluster.test.ts`,
      "finds what points at an object, until it does no more",
    ),
  ],
};

/** Whether Kubernetes' own kinds are as they should be (sigs.k8s.io/cli-utils: pkg/kstatus/status/core.go, generic.go). */

import { listAt, textAt, wholeAt } from "../tree.ts";
import type { Condition, Subject } from "./draft.ts";

/** What is known of an object, and why. */
export interface Standing {
  readonly standing: "InProgress" | "Failed" | "Current" | "Terminating";
  readonly message: string;
}

type Rule = (subject: Subject) => Standing | undefined;

const current = (message: string): Standing => ({ standing: "Current", message });
const inProgress = (message: string): Standing => ({ standing: "InProgress", message });
const failed = (message: string): Standing => ({ standing: "Failed", message });

/** Undefined when nobody can say: a Pod in a phase that there is none of. */
export function standingOf(subject: Subject): Standing | undefined {
  const { group, kind } = subject;
  const rule = rules[group === "" ? kind : `${group}/${kind}`];
  const own = generic(subject);
  if (own !== undefined) return own;
  return rule === undefined ? byReady(subject) : rule(subject);
}

function generic({ object, kind }: Subject): Standing | undefined {
  if (textAt(object, "metadata", "deletionTimestamp") !== "") {
    return { standing: "Terminating", message: "Resource scheduled for deletion" };
  }
  const wanted = wholeAt(object, "metadata", "generation");
  const seen = wholeAt(object, "status", "observedGeneration");
  if (wanted !== undefined && seen !== undefined && wanted !== seen) {
    return inProgress(`${kind} generation is ${wanted}, but latest observed generation is ${seen}`);
  }
  const found = ownConditions(object).find(
    ({ type, status }) => status === "True" && (type === "Reconciling" || type === "Stalled"),
  );
  if (found === undefined) return undefined;
  return found.type === "Stalled" ? failed(found.message) : inProgress(found.message);
}

/** Those of the status alone. */
function ownConditions(object: unknown): readonly Condition[] {
  return listAt(object, "status", "conditions").map((each) => ({
    type: textAt(each, "type"),
    status: textAt(each, "status"),
    reason: textAt(each, "reason"),
    message: textAt(each, "message"),
  }));
}

function byReady({ object }: Subject): Standing {
  const ready = ownConditions(object).find(
    ({ type, status }) => type === "Ready" && ["True", "False", "Unknown"].includes(status),
  );
  if (ready === undefined) return current("Resource is current");
  return ready.status === "True" ? current("Resource is Ready") : inProgress(ready.message);
}

const ready: Rule = () => current("Resource is always ready");

function holds(object: unknown, type: string, status = "True"): boolean {
  return ownConditions(object).some((each) => each.type === type && each.status === status);
}

/** Reads a number of the object, with what counts where it has none. */
function numbers(object: unknown) {
  return {
    spec: (key: string, otherwise = 1) => wholeAt(object, "spec", key) ?? otherwise,
    status: (key: string, otherwise = 0) => wholeAt(object, "status", key) ?? otherwise,
  };
}

/** The first that lacks something, told as `what: has/wanted`. */
function lacking(
  ...counts: readonly (readonly [what: string, has: number, wanted: number])[]
): Standing | undefined {
  const found = counts.find(([, has, wanted]) => wanted > has);
  return found && inProgress(`${found[0]}: ${found[1]}/${found[2]}`);
}

function tooMany(has: number, wanted: number): Standing | undefined {
  return has > wanted ? inProgress(`Pending termination: ${has - wanted}`) : undefined;
}

/** What a deadline is when nobody set one (kubernetes: pkg/controller/deployment/util). */
const noDeadline = 2_147_483_647;

const deployment: Rule = ({ object }) => {
  const conditions = ownConditions(object);
  const progress = conditions.filter(({ type }) => type === "Progressing");
  if (progress.some(({ reason }) => reason === "ProgressDeadlineExceeded")) {
    return failed("Progress deadline exceeded");
  }
  const { spec, status } = numbers(object);
  const [wanted, present, updated] = [
    spec("replicas"),
    status("replicas"),
    status("updatedReplicas"),
  ];
  const hasReplicaSet =
    spec("progressDeadlineSeconds", noDeadline) === noDeadline ||
    progress.some((each) => each.status === "True" && each.reason === "NewReplicaSetAvailable");
  return (
    lacking(["Replicas", present, wanted], ["Updated", updated, wanted]) ??
    tooMany(present, wanted) ??
    lacking(
      ["Available", status("availableReplicas"), updated],
      ["Ready", status("readyReplicas"), wanted],
    ) ??
    (hasReplicaSet ? undefined : inProgress("ReplicaSet not Available")) ??
    (holds(object, "Available") ? undefined : inProgress("Deployment not Available")) ??
    current(`Deployment is available. Replicas: ${present}`)
  );
};

const replicaSet: Rule = ({ object }) => {
  if (holds(object, "ReplicaFailure")) return inProgress("Replica Failure condition. Check Pods");
  const { spec, status } = numbers(object);
  const [wanted, present] = [spec("replicas"), status("replicas")];
  return (
    lacking(
      ["Labelled", status("fullyLabeledReplicas"), wanted],
      ["Available", status("availableReplicas"), wanted],
      ["Ready", status("readyReplicas"), wanted],
    ) ??
    tooMany(present, wanted) ??
    current(`ReplicaSet is available. Replicas: ${present}`)
  );
};

const statefulSet: Rule = ({ object }) => {
  if (textAt(object, "spec", "updateStrategy", "type") === "OnDelete") {
    return current("StatefulSet is using the ondelete update strategy");
  }
  const { spec, status } = numbers(object);
  const [wanted, present] = [spec("replicas"), status("replicas")];
  const partition = wholeAt(object, "spec", "updateStrategy", "rollingUpdate", "partition") ?? -1;
  return (
    lacking(["Replicas", present, wanted], ["Ready", status("readyReplicas"), wanted]) ??
    tooMany(present, wanted) ??
    (partition === -1
      ? rolledOut(object, wanted, present)
      : partlyRolledOut(status("updatedReplicas"), wanted - partition))
  );
};

function partlyRolledOut(updated: number, wanted: number): Standing {
  return (
    lacking(["updated", updated, wanted]) ??
    current(`Partition rollout complete. updated: ${updated}`)
  );
}

function rolledOut(object: unknown, wanted: number, present: number): Standing {
  const lacks = lacking(["current", numbers(object).status("currentReplicas"), wanted]);
  if (lacks !== undefined) return lacks;
  const [old, updated] = ["currentRevision", "updateRevision"].map((key) =>
    textAt(object, "status", key),
  );
  if (old !== updated) return inProgress("Waiting for updated revision to match current");
  return current(`All replicas scheduled as expected. Replicas: ${present}`);
}

const daemonSet: Rule = ({ object, kind }) => {
  const missing = [
    ["metadata", "generation"] as const,
    ["status", "observedGeneration"] as const,
  ].find((path) => wholeAt(object, ...path) === undefined);
  if (missing !== undefined) return inProgress(`${kind} ${missing.join(".")} not found`);
  const { status } = numbers(object);
  const wanted = status("desiredNumberScheduled", -1);
  if (wanted === -1) return inProgress("Missing .status.desiredNumberScheduled");
  return (
    lacking(
      ["Current", status("currentNumberScheduled"), wanted],
      ["Updated", status("updatedNumberScheduled"), wanted],
      ["Available", status("numberAvailable"), wanted],
      ["Ready", status("numberReady"), wanted],
    ) ?? current(`All replicas scheduled as expected. Replicas: ${wanted}`)
  );
};

const claim: Rule = ({ object }) => {
  const phase = textAt(object, "status", "phase") || "unknown";
  return phase === "Bound"
    ? current("PVC is Bound")
    : inProgress(`PVC is not Bound. phase: ${phase}`);
};

/** So long a Pod may wait for a node before that is a failure, in milliseconds. */
const scheduleWindow = 15_000;

const pod: Rule = (subject) => {
  const { object } = subject;
  switch (textAt(object, "status", "phase")) {
    case "Succeeded":
      return current("Pod has completed successfully");
    case "Failed":
      return current("Pod has completed, but not successfully");
    case "Running":
      return running(object);
    case "Pending":
      return pending(subject);
    case "":
      return inProgress("Pod phase not available");
    default:
      return undefined;
  }
};

function running(object: unknown): Standing {
  if (holds(object, "Ready")) return current("Pod is Ready");
  const crashing = listAt(object, "status", "containerStatuses")
    .filter((each) => textAt(each, "state", "waiting", "reason") === "CrashLoopBackOff")
    .map((each) => textAt(each, "name"));
  if (crashing.length === 0) return inProgress("Pod is running but is not Ready");
  return failed(`Containers in CrashLoop state: ${crashing.join(",")}`);
}

function pending({ object, now }: Subject): Standing {
  const isUnschedulable = ownConditions(object).some(
    ({ type, status, reason }) =>
      type === "PodScheduled" && status === "False" && reason === "Unschedulable",
  );
  if (!isUnschedulable) return inProgress("Pod is in the Pending phase");
  const created = Date.parse(textAt(object, "metadata", "creationTimestamp"));
  if (created > now - scheduleWindow) return inProgress("Pod has not been scheduled");
  return failed("Pod could not be scheduled");
}

const job: Rule = ({ object }) => {
  const { spec, status } = numbers(object);
  const wanted = spec("completions", spec("parallelism"));
  const [succeeded, broken] = [status("succeeded"), status("failed")];
  for (const { type, status: is } of ownConditions(object)) {
    if (is !== "True") continue;
    if (type === "Complete") return current(`Job Completed. succeeded: ${succeeded}/${wanted}`);
    if (type === "Failed") return failed(`Job Failed. failed: ${broken}/${wanted}`);
  }
  if (textAt(object, "status", "startTime") === "") return inProgress("Job not started");
  const counts = `success:${succeeded}, active: ${status("active")}, failed: ${broken}`;
  return current(`Job in progress. ${counts}`);
};

const service: Rule = ({ object }) => {
  const isBalancer = textAt(object, "spec", "type") === "LoadBalancer";
  if (isBalancer && textAt(object, "spec", "clusterIP") === "") {
    return inProgress("ClusterIP not set. Service type: LoadBalancer");
  }
  return current("Service is ready");
};

const definition: Rule = ({ object }) => {
  for (const { type, status, reason, message } of ownConditions(object)) {
    if (type === "NamesAccepted" && status === "False") return failed(message);
    if (type !== "Established") continue;
    if (status === "False" && reason !== "Installing") return failed(message);
    if (status === "True") return current("CRD is established");
  }
  return inProgress("Install in progress");
};

const rules: Readonly<Record<string, Rule | undefined>> = {
  Service: service,
  Pod: pod,
  Secret: ready,
  ConfigMap: ready,
  PersistentVolumeClaim: claim,
  "apps/StatefulSet": statefulSet,
  "apps/DaemonSet": daemonSet,
  "extensions/DaemonSet": daemonSet,
  "apps/Deployment": deployment,
  "extensions/Deployment": deployment,
  "apps/ReplicaSet": replicaSet,
  "extensions/ReplicaSet": replicaSet,
  "policy/PodDisruptionBudget": () => current("AllowedDisruptions has been computed."),
  "batch/CronJob": ready,
  "batch/Job": job,
  "apiextensions.k8s.io/CustomResourceDefinition": definition,
};

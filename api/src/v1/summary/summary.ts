/** In one word and a few sentences, how an object is (wrangler: pkg/summary/summary.go). */

import { cluster, machine, machines } from "./cluster-api.ts";
import {
  conditionsOf,
  type Draft,
  identityOf,
  newDraft,
  type Step,
  type Subject,
  toCondition,
} from "./draft.ts";
import { type ErrorStatuses, errors } from "./errors.ts";
import { standingOf } from "./kstatus.ts";
import { operation } from "./operations.ts";
import {
  active,
  generation,
  initializing,
  loadBalancer,
  notReady,
  phase,
  removing,
  statusSummary,
} from "./phases.ts";
import { transitioning } from "./transitioning.ts";

/** How an object is. */
export interface Summary {
  /** Lower case: `active`, `running`, `unavailable` ... */
  readonly state: string;
  readonly error: boolean;
  readonly transitioning: boolean;
  /** Each once, in the order in which they were found. */
  readonly messages: readonly string[];
}

/** What is known besides the object. */
export interface SummaryOptions {
  /** The schema of its kind has status.observedGeneration. */
  readonly observesGeneration?: boolean;
  /** Which conditions mean an error, where the environment tells it of the kind. */
  readonly errorStatuses?: ErrorStatuses | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Sums up an object of any kind and shape; never throws. */
export function summarize(object: unknown, options: SummaryOptions): Summary {
  const subject = subjectOf(object, options);
  const draft = newDraft();
  for (const step of steps) step(subject, draft);
  return {
    state: (draft.state || "active").toLowerCase(),
    error: draft.error,
    transitioning: draft.transitioning,
    messages: distinct(draft),
  };
}

/** What Steve adds to one of the conditions in a status. */
export interface Flags {
  readonly error: boolean;
  readonly transitioning: boolean;
}

/** Whether one condition means an error, or something that goes on (wrangler: pkg/summary/condition.go, NormalizeConditions). */
export function flagsOf(object: unknown, condition: unknown, options: SummaryOptions): Flags {
  const conditions = [toCondition(condition)];
  const subject = { ...subjectOf(object, options), conditions };
  const draft = newDraft();
  for (const step of [errors, transitioning, removing, notReady]) step(subject, draft);
  return { error: draft.error, transitioning: draft.transitioning };
}

function subjectOf(object: unknown, options: SummaryOptions): Subject {
  const { now, observesGeneration = false, errorStatuses } = options;
  return {
    object,
    ...identityOf(object),
    conditions: conditionsOf(object),
    observesGeneration,
    errorStatuses,
    now,
  };
}

/** What goes on, by the rules of the kind. */
const goingOn: Step = (subject, draft) => {
  const { group, kind } = subject;
  const own = ofKind[`${group}/${kind}`] ?? transitioning;
  own(subject, draft);
};

const ofKind: Readonly<Record<string, Step | undefined>> = {
  "cluster.x-k8s.io/Machine": machine,
  "cluster.x-k8s.io/MachineSet": machines,
  "cluster.x-k8s.io/MachineDeployment": machines,
  "cluster.x-k8s.io/Cluster": cluster,
  "operation.cattle.io/CertificateRotation": operation,
  "operation.cattle.io/EncryptionKeyRotation": operation,
  "operation.cattle.io/ETCDSnapshotRestore": operation,
  "operation.cattle.io/ETCDSnapshotSave": operation,
};

const standard: Step = (subject, draft) => {
  if (draft.state !== "") return;
  const found = standingOf(subject);
  if (found === undefined) return;
  const { standing, message } = found;
  draft.state = states[standing];
  draft.transitioning ||= standing === "InProgress" || standing === "Terminating";
  draft.error ||= standing === "Failed";
  draft.messages.push(message);
};

const states = {
  InProgress: "in-progress",
  Failed: "failed",
  Current: "active",
  Terminating: "removing",
} as const;

/** In this order: what is found first stays, but where a step says otherwise. */
const steps: readonly Step[] = [
  statusSummary,
  errors,
  goingOn,
  active,
  phase,
  initializing,
  removing,
  standard,
  loadBalancer,
  generation,
];

function distinct({ messages }: Draft): readonly string[] {
  return [...new Set(messages.map((message) => message.trim()).filter((text) => text !== ""))];
}

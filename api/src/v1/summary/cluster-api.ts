/** What goes on with objects of Cluster API (wrangler: pkg/summary/summarizers.go). */

import { wholeAt } from "../tree.ts";
import { type Condition, type Draft, failed, goesOn, type Step } from "./draft.ts";
import { stepCounter } from "./transitioning.ts";

/** How many replicas there are, as far as the object says so. */
interface Replicas {
  readonly wanted: number | undefined;
  readonly present: number | undefined;
  readonly ready: number | undefined;
  readonly upToDate: number | undefined;
}

/** Deleting and Paused come before everything else: the first of them that is True. */
function isEnding(
  conditions: readonly Condition[],
  draft: Draft,
  friendly: (message: string) => string,
): boolean {
  const condition = conditions.find(({ type, status }) => endings.has(type) && status === "True");
  if (condition?.type === "Paused") goesOn(draft, "paused");
  if (condition?.type === "Deleting") goesOn(draft, "deleting", friendly(condition.message));
  return condition !== undefined;
}

const endings: ReadonlySet<string> = new Set(["Deleting", "Paused"]);

function find(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.findLast((condition) => condition.type === type);
}

function holds(conditions: readonly Condition[], type: string): boolean {
  return find(conditions, type)?.status === "True";
}

/** A Machine: until it is reconciled, what its Ready says first. */
export const machine: Step = ({ conditions }, draft) => {
  const drained = (message: string): string =>
    message.startsWith("Drain not completed yet") ? "Draining node" : message;
  if (isEnding(conditions, draft, drained)) return;
  const reconciled = find(conditions, "Reconciled");
  const ready = find(conditions, "Ready");
  if (reconciled !== undefined && reconciled.status !== "True") unreconciled(reconciled, draft);
  else if (ready !== undefined) unready(ready, draft);
};

function unreconciled({ status, message }: Condition, draft: Draft): void {
  if (status === "Unknown") goesOn(draft, "reconciling", message);
  else if (status === "False") failed(draft, "reconciling", message);
}

function unready({ status, message }: Condition, draft: Draft): void {
  const { detail, subject } = firstBullet(message);
  if (status === "Unknown") {
    const isEmpty = subject === "NodeHealthy" && detail.endsWith("to report spec.providerID");
    goesOn(draft, "reconciling", isEmpty ? "" : detail);
  }
  const waiting = status === "False" ? waitsFor[subject] : undefined;
  if (waiting === undefined) return;
  const isEmpty = detail.endsWith(waiting.boilerplate) || waiting.count?.test(detail) === true;
  goesOn(draft, waiting.state, isEmpty ? "" : detail);
}

/** What a Machine that is not ready waits for, by what its condition names first, and details that tell people nothing. */
const waitsFor: Readonly<
  Record<string, { readonly state: string; readonly boilerplate: string; readonly count?: RegExp }>
> = {
  BootstrapConfigReady: {
    state: "waitingforinfrastructure",
    boilerplate: "status.initialization.dataSecretCreated is false",
  },
  InfrastructureReady: {
    state: "waitingfornoderef",
    boilerplate: "status.initialization.provisioned is false",
    count: stepCounter,
  },
};

/** MachineSets and MachineDeployments: rolling out, then scaling, by conditions or by the numbers. */
export const machines: Step = ({ object, conditions }, draft) => {
  if (isEnding(conditions, draft, (message) => message)) return;
  const replicas: Replicas = {
    wanted: wholeAt(object, "spec", "replicas"),
    present: wholeAt(object, "status", "replicas"),
    ready: wholeAt(object, "status", "readyReplicas"),
    upToDate: wholeAt(object, "status", "upToDateReplicas"),
  };
  rollsOut(conditions, replicas, draft) ||
    scales(conditions, replicas, draft, {
      down: "scalingdown",
      up: "scalingup",
      what: "replicas",
      waits: {
        down: ", waiting for machines to be deleted",
        up: ", waiting for machines to be ready",
      },
    });
};

/** A Cluster: its workers' machines, then whether it is available. */
export const cluster: Step = ({ object, conditions }, draft) => {
  const deleted = (message: string): string =>
    message.startsWith("* MachineDeployments") ? "waiting for workers deletion" : message;
  if (isEnding(conditions, draft, deleted)) return;
  const replicas: Replicas = {
    wanted: wholeAt(object, "status", "workers", "desiredReplicas"),
    present: wholeAt(object, "status", "workers", "replicas"),
    ready: wholeAt(object, "status", "workers", "readyReplicas"),
    upToDate: wholeAt(object, "status", "workers", "upToDateReplicas"),
  };
  const words = { down: "updating", up: "updating", what: "machines", waits: { down: "", up: "" } };
  if (rollsOut(conditions, replicas, draft) || scales(conditions, replicas, draft, words)) return;
  const available = find(conditions, "Available");
  if (available?.status === "Unknown") failed(draft, "unavailable", available.message);
  if (available?.status === "False") goesOn(draft, "updating", unavailable(available.message));
};

function unavailable(message: string): string {
  const { detail, subject } = firstBullet(message);
  return friendlyTexts[subject] ?? detail;
}

const friendlyTexts: Readonly<Record<string, string>> = {
  RemoteConnectionProbe: "establishing connection to control plane",
  ControlPlaneAvailable: "Waiting for control plane to be available",
  MachineDeployment: "Waiting for workers to be available",
};

function rollsOut(
  conditions: readonly Condition[],
  { present, upToDate }: Replicas,
  draft: Draft,
): boolean {
  if (!holds(conditions, "RollingOut")) return false;
  const counted = present !== undefined && upToDate !== undefined;
  const message = counted ? `rolling out ${present - upToDate} not up-to-date replicas` : "";
  goesOn(draft, "rollingout", message);
  return true;
}

/** How scaling is told. */
interface Words {
  readonly down: string;
  readonly up: string;
  readonly what: string;
  readonly waits: { readonly down: string; readonly up: string };
}

function scales(
  conditions: readonly Condition[],
  { wanted, present, ready }: Replicas,
  draft: Draft,
  { down, up, what, waits }: Words,
): boolean {
  const told = (way: string, from: number | undefined, waiting: string): string =>
    from === undefined || wanted === undefined
      ? ""
      : `Scaling ${way} from ${from} to ${wanted} ${what}${waiting}`;
  if (holds(conditions, "ScalingDown") || isMore(present, wanted)) {
    goesOn(draft, down, told("down", present, waits.down));
    return true;
  }
  if (!holds(conditions, "ScalingUp") && !isMore(wanted, ready)) return false;
  goesOn(draft, up, told("up", ready, waits.up));
  return true;
}

function isMore(one: number | undefined, other: number | undefined): boolean {
  return one !== undefined && other !== undefined && one > other;
}

/**
 * The first line of a message that is a list: `* InfrastructureReady: detail`. Where it has no detail of its own, that of the first line below it
 * counts.
 */
export function firstBullet(message: string): {
  readonly detail: string;
  readonly subject: string;
} {
  const [first = "", ...below] = message.split("\n");
  const { subject, detail } = bullet(first);
  if (detail !== "" || subject === "") return { subject, detail };
  const next = below.map((line) => line.trim()).find((line) => line.startsWith("* ")) ?? "";
  const inner = bullet(next);
  return { subject, detail: inner.detail };
}

function bullet(line: string): { readonly detail: string; readonly subject: string } {
  const text = line.replace(/^\* /, "");
  const colon = text.indexOf(": ");
  if (colon >= 0) return { subject: text.slice(0, colon), detail: text.slice(colon + 2) };
  return text.endsWith(":")
    ? { subject: text.slice(0, -1), detail: "" }
    : { subject: "", detail: text };
}

/** The row of a Pod (kubernetes: pkg/printers/internalversion/printers.go, printPod). */

import { at, isTrueAt, listAt, textAt } from "../tree.ts";
import { age, type Cell } from "./cell.ts";
import { countAt, holds, isLeaving, nameOf, textOr } from "./texts.ts";

/** Name, Ready, Status, Restarts, Age, IP, Node, Nominated Node, Readiness Gates. */
export function pod(object: unknown): readonly Cell[] {
  const { ready, total, status, restarts } = containersOf(object);
  return [
    nameOf(object),
    `${ready}/${total}`,
    leavingStatus(object) ?? status,
    restarts,
    age(object),
    textAt(listAt(object, "status", "podIPs")[0], "ip") || "<none>",
    textOr("<none>", object, "spec", "nodeName"),
    textOr("<none>", object, "status", "nominatedNodeName"),
    gates(object),
  ];
}

function leavingStatus(object: unknown): string | undefined {
  if (!isLeaving(object)) return undefined;
  if (textAt(object, "status", "reason") === "NodeLost") return "Unknown";
  const phase = textAt(object, "status", "phase");
  return phase === "Succeeded" || phase === "Failed" ? undefined : "Terminating";
}

function gates(object: unknown): string {
  const types = listAt(object, "spec", "readinessGates").map((gate) =>
    textAt(gate, "conditionType"),
  );
  const open = types.filter((type) => holds(object, type));
  return types.length === 0 ? "<none>" : `${open.length}/${types.length}`;
}

/** What the containers of a Pod come to. */
interface Tally {
  ready: number;
  status: string;
  restarts: number;
  /** When a container ended the last time, milliseconds since the Unix epoch; -Infinity before. */
  last: number;
}

function containersOf(object: unknown) {
  const sidecars = new Set(
    listAt(object, "spec", "initContainers")
      .filter(isSidecar)
      .map((each) => textAt(each, "name")),
  );
  const total = listAt(object, "spec", "containers").length + sidecars.size;
  const first: Tally = { ready: 0, status: phaseOf(object), restarts: 0, last: -Infinity };
  const ofSidecars: Tally = { ...first };
  const isInitializing = initialize(object, sidecars, first, ofSidecars);
  if (isInitializing && !holds(object, "Initialized")) return { ...told(first), total };
  const all = { ...first, restarts: ofSidecars.restarts, last: ofSidecars.last };
  run(object, all);
  return { ...told(all), total };
}

function told({ ready, status, restarts, last }: Tally) {
  const cell: Cell =
    restarts === 0 || last === -Infinity ? String(restarts) : { restarts, since: last };
  return { ready, status, restarts: cell };
}

function phaseOf(object: unknown): string {
  const isGated = listAt(object, "status", "conditions").some(
    (each) =>
      textAt(each, "type") === "PodScheduled" && textAt(each, "reason") === "SchedulingGated",
  );
  if (isGated) return "SchedulingGated";
  return textAt(object, "status", "reason") || textAt(object, "status", "phase");
}

/** An init container that goes on beside the others. */
function isSidecar(container: unknown): boolean {
  return textAt(container, "restartPolicy") === "Always";
}

function count(status: unknown, tally: Tally): void {
  tally.restarts += countAt(status, "restartCount");
  const ended = Date.parse(textAt(status, "lastState", "terminated", "finishedAt"));
  if (ended > tally.last) tally.last = ended;
}

/** Goes through the init containers up to the first that has not done its work; true when there is one. */
function initialize(
  object: unknown,
  sidecars: ReadonlySet<string>,
  tally: Tally,
  ofSidecars: Tally,
): boolean {
  const total = listAt(object, "spec", "initContainers").length;
  for (const [index, status] of listAt(object, "status", "initContainerStatuses").entries()) {
    const isOne = sidecars.has(textAt(status, "name"));
    count(status, tally);
    if (isOne) count(status, ofSidecars);
    if (isDone(status)) continue;
    if (!isOne || !isTrueAt(status, "started")) {
      tally.status = `Init:${waitsFor(status) ?? `${index}/${total}`}`;
      return true;
    }
    if (isTrueAt(status, "ready")) tally.ready++;
  }
  return false;
}

function isDone(status: unknown): boolean {
  const ended = at(status, "state", "terminated");
  return ended !== undefined && countAt(ended, "exitCode") === 0;
}

/** Why an init container is not done, when its status tells. */
function waitsFor(status: unknown): string | undefined {
  const ended = at(status, "state", "terminated");
  if (ended !== undefined) return endOf(ended);
  const reason = textAt(status, "state", "waiting", "reason");
  return reason === "" || reason === "PodInitializing" ? undefined : reason;
}

/** Why a container ended: its reason, its signal or its exit code. */
function endOf(terminated: unknown): string {
  const signal = countAt(terminated, "signal");
  const code = signal === 0 ? `ExitCode:${countAt(terminated, "exitCode")}` : `Signal:${signal}`;
  return textAt(terminated, "reason") || code;
}

/** Goes through the containers from the last to the first: what the first says counts. */
function run(object: unknown, tally: Tally): void {
  const statuses = listAt(object, "status", "containerStatuses").toReversed();
  for (const status of statuses) {
    count(status, tally);
    tally.status = standsStill(status) ?? tally.status;
  }
  const running = statuses.filter(isRunning).length;
  tally.ready += running;
  if (tally.status !== "Completed") return;
  if (running > 0 && hasReady(object)) tally.status = "Running";
  else
    tally.status =
      statuses.filter(hasFailed).map(standsStill).at(-1) ??
      (running > 0 ? "NotReady" : "Completed");
}

/** Why a container does not run. */
function standsStill(status: unknown): string | undefined {
  const waits = textAt(status, "state", "waiting", "reason");
  if (waits !== "") return waits;
  const ended = at(status, "state", "terminated");
  return ended === undefined ? undefined : endOf(ended);
}

function isRunning(status: unknown): boolean {
  const isReady = isTrueAt(status, "ready") && at(status, "state", "running") !== undefined;
  return isReady && standsStill(status) === undefined;
}

function hasFailed(status: unknown): boolean {
  const isWaiting = textAt(status, "state", "waiting", "reason") !== "";
  return !isWaiting && countAt(status, "state", "terminated", "exitCode") !== 0;
}

function hasReady(object: unknown): boolean {
  return listAt(object, "status", "conditions").some(
    (each) => textAt(each, "type") === "Ready" && textAt(each, "status") === "True",
  );
}

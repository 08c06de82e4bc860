/** The rows of what runs Pods (kubernetes: pkg/printers/internalversion/printers.go). */

import { at, listAt, mapAt, textAt, wholeAt } from "../tree.ts";
import { age, type Cell, since } from "./cell.ts";
import { humanDuration } from "./human.ts";
import {
  containerTexts,
  countAt,
  holds,
  isLeaving,
  labelTexts,
  nameOf,
  selectorOrNone,
  selectorText,
  textOr,
} from "./texts.ts";

function templateTexts(object: unknown, ...path: readonly string[]): readonly [string, string] {
  return containerTexts(listAt(object, ...path, "template", "spec", "containers"));
}

/** Name, Ready, Up-to-date, Available, Age, Containers, Images, Selector. */
export function deployment(object: unknown): readonly Cell[] {
  return [
    nameOf(object),
    `${countAt(object, "status", "readyReplicas")}/${countAt(object, "spec", "replicas")}`,
    countAt(object, "status", "updatedReplicas"),
    countAt(object, "status", "availableReplicas"),
    age(object),
    ...templateTexts(object, "spec"),
    selectorText(at(object, "spec", "selector")),
  ];
}

/** Name, Ready, Age, Containers, Images. */
export function statefulSet(object: unknown): readonly Cell[] {
  const ready = `${countAt(object, "status", "readyReplicas")}/${countAt(object, "spec", "replicas")}`;
  return [nameOf(object), ready, age(object), ...templateTexts(object, "spec")];
}

/** Name, Desired, Current, Ready, Age, Containers, Images, Selector. */
export function replicaSet(object: unknown): readonly Cell[] {
  return [...replicas(object), selectorOrNone(at(object, "spec", "selector"))];
}

/** As a ReplicaSet, but selected by labels alone. */
export function replicationController(object: unknown): readonly Cell[] {
  return [...replicas(object), labelTexts(mapAt(object, "spec", "selector"))];
}

function replicas(object: unknown): readonly Cell[] {
  return [
    nameOf(object),
    countAt(object, "spec", "replicas"),
    countAt(object, "status", "replicas"),
    countAt(object, "status", "readyReplicas"),
    age(object),
    ...templateTexts(object, "spec"),
  ];
}

/** Name, Desired, Current, Ready, Up-to-date, Available, Node Selector, Age, Containers, Images, Selector. */
export function daemonSet(object: unknown): readonly Cell[] {
  return [
    nameOf(object),
    countAt(object, "status", "desiredNumberScheduled"),
    countAt(object, "status", "currentNumberScheduled"),
    countAt(object, "status", "numberReady"),
    countAt(object, "status", "updatedNumberScheduled"),
    countAt(object, "status", "numberAvailable"),
    labelTexts(mapAt(object, "spec", "template", "spec", "nodeSelector")),
    age(object),
    ...templateTexts(object, "spec"),
    selectorOrNone(at(object, "spec", "selector")),
  ];
}

/** Name, Status, Completions, Duration, Age, Containers, Images, Selector. */
export function job(object: unknown): readonly Cell[] {
  return [
    nameOf(object),
    jobStatus(object),
    completions(object),
    jobDuration(object),
    age(object),
    ...templateTexts(object, "spec"),
    selectorOrNone(at(object, "spec", "selector")),
  ];
}

function jobStatus(object: unknown): string {
  if (holds(object, "Complete")) return "Complete";
  if (holds(object, "Failed")) return "Failed";
  if (isLeaving(object)) return "Terminating";
  const types = ["Suspended", "FailureTarget", "SuccessCriteriaMet"];
  return types.find((type) => holds(object, type)) ?? "Running";
}

function completions(object: unknown): string {
  const succeeded = countAt(object, "status", "succeeded");
  const wanted = wholeAt(object, "spec", "completions");
  const parallel = countAt(object, "spec", "parallelism");
  if (wanted !== undefined) return `${succeeded}/${wanted}`;
  return parallel > 1 ? `${succeeded}/1 of ${parallel}` : `${succeeded}/1`;
}

function jobDuration(object: unknown): Cell {
  const start = textAt(object, "status", "startTime");
  const end = textAt(object, "status", "completionTime");
  return end === "" ? since(start, "") : humanDuration(Date.parse(end) - Date.parse(start));
}

/** Name, Schedule, Timezone, Suspend, Active, Last Schedule, Age, Containers, Images, Selector. */
export function cronJob(object: unknown): readonly Cell[] {
  const suspend = at(object, "spec", "suspend");
  return [
    nameOf(object),
    textAt(object, "spec", "schedule"),
    textOr("<none>", object, "spec", "timeZone"),
    typeof suspend === "boolean" ? (suspend ? "True" : "False") : "<unset>",
    listAt(object, "status", "active").length,
    since(textAt(object, "status", "lastScheduleTime"), "<none>"),
    age(object),
    ...templateTexts(object, "spec", "jobTemplate", "spec"),
    selectorOrNone(at(object, "spec", "jobTemplate", "spec", "selector")),
  ];
}

/** Name, Containers, Images, Pod Labels. */
export function podTemplate(object: unknown): readonly Cell[] {
  const labels = labelTexts(mapAt(object, "template", "metadata", "labels"));
  return [nameOf(object), ...templateTexts(object), labels];
}

/** Name, Min Available, Max Unavailable, Allowed Disruptions, Age. */
export function podDisruptionBudget(object: unknown): readonly Cell[] {
  return [
    nameOf(object),
    textOr("N/A", object, "spec", "minAvailable"),
    textOr("N/A", object, "spec", "maxUnavailable"),
    countAt(object, "status", "disruptionsAllowed"),
    age(object),
  ];
}

/** Name, Controller, Revision, Age. */
export function controllerRevision(object: unknown): readonly Cell[] {
  const owner = listAt(object, "metadata", "ownerReferences").find(
    (each) => at(each, "controller") === true,
  );
  return [
    nameOf(object),
    owner === undefined ? "<none>" : ownerText(owner),
    countAt(object, "revision"),
    age(object),
  ];
}

function ownerText(owner: unknown): string {
  const [group = "", version] = textAt(owner, "apiVersion").split("/");
  const kind = textAt(owner, "kind");
  const whole = version === undefined ? kind : `${kind}.${group}`;
  return `${whole.toLowerCase()}/${textAt(owner, "name")}`;
}

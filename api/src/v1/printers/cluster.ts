/** The rows of what a cluster consists of (kubernetes: pkg/printers/internalversion/printers.go). */

import { at, isTrueAt, listAt, mapAt, textAt } from "../tree.ts";
import { age, type Cell, since, sinceAt } from "./cell.ts";
import { byBytes, countAt, nameOf, textOr } from "./texts.ts";

/** Name, Age. */
export function nameAndAge(object: unknown): readonly Cell[] {
  return [nameOf(object), age(object)];
}

/** Name, Status, Age. */
export function namespace(object: unknown): readonly Cell[] {
  return [nameOf(object), textAt(object, "status", "phase"), age(object)];
}

/** Name, Status, Roles, Age, Version, Internal-IP, External-IP, OS-Image, Kernel-Version, Container-Runtime. */
export function node(object: unknown): readonly Cell[] {
  const info = (key: string): string => textOr("<unknown>", object, "status", "nodeInfo", key);
  return [
    nameOf(object),
    nodeStatus(object),
    roles(object).join(",") || "<none>",
    age(object),
    textAt(object, "status", "nodeInfo", "kubeletVersion"),
    address(object, "InternalIP"),
    address(object, "ExternalIP"),
    info("osImage"),
    info("kernelVersion"),
    info("containerRuntimeVersion"),
  ];
}

function nodeStatus(object: unknown): string {
  const ready = listAt(object, "status", "conditions").findLast(
    (each) => textAt(each, "type") === "Ready",
  );
  const isReady = textAt(ready, "status") === "True";
  const status = ready === undefined ? "Unknown" : isReady ? "Ready" : "NotReady";
  return isTrueAt(object, "spec", "unschedulable") ? `${status},SchedulingDisabled` : status;
}

const rolePrefix = "node-role.kubernetes.io/";

function roles(object: unknown): readonly string[] {
  const labels = mapAt(object, "metadata", "labels") ?? {};
  const prefixed = Object.keys(labels)
    .filter((key) => key.startsWith(rolePrefix))
    .map((key) => key.slice(rolePrefix.length));
  const all = [...prefixed, textAt(labels, "kubernetes.io/role")].filter((role) => role !== "");
  return [...new Set(all)].toSorted(byBytes);
}

function address(object: unknown, type: string): string {
  const found = listAt(object, "status", "addresses").find((each) => textAt(each, "type") === type);
  return found === undefined ? "<none>" : textAt(found, "address");
}

/** Name, Type, Data, Age. */
export function secret(object: unknown): readonly Cell[] {
  return [nameOf(object), textAt(object, "type"), size(object, "data"), age(object)];
}

/** Name, Data, Age. */
export function configMap(object: unknown): readonly Cell[] {
  return [nameOf(object), size(object, "data") + size(object, "binaryData"), age(object)];
}

function size(object: unknown, key: string): number {
  return Object.keys(mapAt(object, key) ?? {}).length;
}

/** Name, Request, Limit, Age. */
export function resourceQuota(object: unknown): readonly Cell[] {
  const hard = Object.keys(mapAt(object, "status", "hard") ?? {}).toSorted(byBytes);
  const quantity = (part: string, resource: string): string =>
    textOr("0", object, "status", part, resource);
  const texts = (wanted: boolean): string =>
    hard
      .filter((resource) => resource.startsWith("limits.") === wanted)
      .map((resource) => `${resource}: ${quantity("used", resource)}/${quantity("hard", resource)}`)
      .join(", ");
  return [nameOf(object), texts(false), texts(true), age(object)];
}

/** Name, Value, Global-Default, Age, PreemptionPolicy. */
export function priorityClass(object: unknown): readonly Cell[] {
  return [
    nameOf(object),
    countAt(object, "value"),
    isTrueAt(object, "globalDefault"),
    age(object),
    textAt(object, "preemptionPolicy"),
  ];
}

/** Name, Handler, Age. */
export function runtimeClass(object: unknown): readonly Cell[] {
  return [nameOf(object), textAt(object, "handler"), age(object)];
}

/** Name, Holder, Age. */
export function lease(object: unknown): readonly Cell[] {
  return [nameOf(object), textAt(object, "spec", "holderIdentity"), age(object)];
}

/** Name, LeaseName, BinaryVersion, EmulationVersion, Age. */
export function leaseCandidate(object: unknown): readonly Cell[] {
  const spec = (key: string): string => textAt(object, "spec", key);
  return [
    nameOf(object),
    spec("leaseName"),
    spec("binaryVersion"),
    spec("emulationVersion"),
    age(object),
  ];
}

/** Name, Status, Message, Error. */
export function componentStatus(object: unknown): readonly Cell[] {
  const found = listAt(object, "conditions").find((each) => textAt(each, "type") === "Healthy");
  const isHealthy = textAt(found, "status") === "True";
  const status = found === undefined ? "Unknown" : isHealthy ? "Healthy" : "Unhealthy";
  return [nameOf(object), status, textAt(found, "message"), textAt(found, "error")];
}

/** Last Seen, Type, Reason, Object, Subobject, Source, Message, First Seen, Count, Name; of v1. */
export function event(object: unknown): readonly Cell[] {
  return eventCells(object, {
    about: at(object, "involvedObject"),
    message: textAt(object, "message"),
    first: textAt(object, "firstTimestamp"),
    last: textAt(object, "lastTimestamp"),
    count: countAt(object, "count"),
    source: at(object, "source"),
    reporter: [textAt(object, "reportingComponent"), textAt(object, "reportingInstance")],
  });
}

/** The same of events.k8s.io/v1, whose fields have other names. */
export function newEvent(object: unknown): readonly Cell[] {
  return eventCells(object, {
    about: at(object, "regarding"),
    message: textAt(object, "note"),
    first: textAt(object, "deprecatedFirstTimestamp"),
    last: textAt(object, "deprecatedLastTimestamp"),
    count: countAt(object, "deprecatedCount"),
    source: at(object, "deprecatedSource"),
    reporter: [textAt(object, "reportingController"), textAt(object, "reportingInstance")],
  });
}

/** What has another name in each of the two. */
interface EventParts {
  readonly about: unknown;
  readonly message: string;
  readonly first: string;
  readonly last: string;
  readonly count: number;
  readonly source: unknown;
  readonly reporter: readonly [component: string, instance: string];
}

function eventCells(object: unknown, parts: EventParts): readonly Cell[] {
  const series = at(object, "series");
  const first = since(parts.first || textAt(object, "eventTime"));
  const last = parts.last === "" ? first : since(parts.last);
  const isSeries = series !== undefined;
  return [
    isSeries ? sinceAt(series, "lastObservedTime") : last,
    textAt(object, "type"),
    textAt(object, "reason"),
    [textAt(parts.about, "kind").toLowerCase(), textAt(parts.about, "name")]
      .filter(Boolean)
      .join("/"),
    textAt(parts.about, "fieldPath"),
    sourceText(parts),
    parts.message.trim(),
    first,
    isSeries ? countAt(series, "count") : parts.count || 1,
    nameOf(object),
  ];
}

function sourceText({ source, reporter: [component, instance] }: EventParts): string {
  const who = textAt(source, "component") || component;
  const where = textAt(source, "host") || instance;
  return where === "" ? who : `${who}, ${where}`;
}

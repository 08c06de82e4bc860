/** The row of a HorizontalPodAutoscaler (kubernetes: pkg/printers/internalversion/printers.go, formatHPAMetrics). */

import { at, listAt, textAt, wholeAt } from "../tree.ts";
import { age, type Cell } from "./cell.ts";
import { countAt, nameOf, textOr } from "./texts.ts";

/** Name, Reference, Targets, MinPods, MaxPods, Replicas, Age; of autoscaling/v2. */
export function horizontalPodAutoscaler(object: unknown): readonly Cell[] {
  const target = (key: string): string => textAt(object, "spec", "scaleTargetRef", key);
  return [
    nameOf(object),
    `${target("kind")}/${target("name")}`,
    metrics(object),
    textOr("<unset>", object, "spec", "minReplicas"),
    countAt(object, "spec", "maxReplicas"),
    countAt(object, "status", "currentReplicas"),
    age(object),
  ];
}

/** So many targets are shown. */
const most = 2;

function metrics(object: unknown): string {
  const statuses = listAt(object, "status", "currentMetrics");
  const all = listAt(object, "spec", "metrics").map((spec, at) => metric(spec, statuses[at]));
  if (all.length === 0) return "<none>";
  const text = all.slice(0, most).join(", ");
  return all.length > most ? `${text} + ${all.length - most} more...` : text;
}

function metric(spec: unknown, status: unknown): string {
  switch (textAt(spec, "type")) {
    case "External":
      return valueOrAverage("external", spec, status);
    case "Object":
      return valueOrAverage("object", spec, status);
    case "Pods":
      return pair("pods", "averageValue", spec, status);
    case "Resource":
      return resource("resource", spec, status);
    case "ContainerResource":
      return resource("containerResource", spec, status);
    default:
      return "<unknown type>";
  }
}

function pair(source: string, key: string, spec: unknown, status: unknown): string {
  const now = at(status, source) === undefined ? "" : textAt(status, source, "current", key) || "0";
  return `${now || "<unknown>"}/${textAt(spec, source, "target", key) || "0"}`;
}

function valueOrAverage(source: string, spec: unknown, status: unknown): string {
  if (textAt(spec, source, "target", "averageValue") === "")
    return pair(source, "value", spec, status);
  const now = textAt(status, source, "current", "averageValue") || "<unknown>";
  return `${now}/${textAt(spec, source, "target", "averageValue")} (avg)`;
}

function resource(source: string, spec: unknown, status: unknown): string {
  const name = textAt(spec, source, "name");
  if (textAt(spec, source, "target", "averageValue") !== "") {
    return `${name}: ${pair(source, "averageValue", spec, status)}`;
  }
  const percent = (tree: unknown, part: string): string | undefined => {
    const value = wholeAt(tree, source, part, "averageUtilization");
    return value === undefined ? undefined : `${value}%`;
  };
  return `${name}: ${percent(status, "current") ?? "<unknown>"}/${percent(spec, "target") ?? "<auto>"}`;
}

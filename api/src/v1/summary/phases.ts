/** The steps that read fields of their own (wrangler: pkg/summary/summarizers.go). */

import { at, isTrueAt, listAt, mapAt, textAt, wholeAt } from "../tree.ts";
import { goesOn, type Step } from "./draft.ts";

/** What the object says of itself, in status.display or status.summary. */
export const statusSummary: Step = ({ object }, draft) => {
  const told = [mapAt(object, "status", "display"), mapAt(object, "status", "summary")].find(
    (map) => map !== undefined && Object.keys(map).length > 0,
  );
  if (told === undefined) return;
  if ("state" in told) draft.state = textAt(told, "state");
  if ("transitioning" in told) draft.transitioning = isTrueAt(told, "transitioning");
  if ("error" in told) draft.error = isTrueAt(told, "error");
  if ("message" in told)
    draft.messages.push(textAt(told, "message") || textAt(listAt(told, "message")[0]));
};

/** spec.active, where nothing is known yet. */
export const active: Step = ({ object }, draft) => {
  const text = textAt(object, "spec", "active");
  if (draft.state !== "") return;
  if (text === "true") draft.state = "active";
  if (text === "false") draft.state = "inactive";
};

/** status.phase; what has ended or is bound is so, whatever was found before. */
export const phase: Step = ({ object }, draft) => {
  const text = textAt(object, "status", "phase");
  if (text === "Succeeded" || text === "Bound") {
    draft.state = text.toLowerCase();
    draft.transitioning = false;
  } else if (draft.state === "") draft.state = text;
};

/** How long an object of Rancher's may be without conditions, in milliseconds, counted from a field that norman writes. */
const initial = 5000;

/** An object of Rancher's that nobody has looked at yet. */
export const initializing: Step = ({ object, group, conditions, now }, draft) => {
  const isBare = conditions.length === 0 && at(object, "status", "conditions") !== undefined;
  if (draft.state !== "" || !isBare || !group.includes("cattle.io")) return;
  const created = Date.parse(textAt(object, "metadata", "created"));
  if (created + initial > now) goesOn(draft, "initializing");
};

/** After so long a removal that waits is an error, in milliseconds. */
const longRemoval = 5 * 60_000;

/** What norman marked as removed: what it waits for. */
export const removing: Step = ({ object, conditions, now }, draft) => {
  const removed = textAt(object, "metadata", "removed");
  if (removed === "") return;
  const pending = conditions.filter(
    ({ type, status }) => type === "Removed" && (status === "Unknown" || status === "False"),
  );
  goesOn(draft, "removing", ...pending.map(({ message }) => message));
  const [finalizer] = [
    ...listAt(object, "metadata", "finalizers"),
    ...listAt(object, "spec", "finalizers"),
  ].filter((name) => typeof name === "string");
  if (finalizer === undefined) return;
  draft.messages.push(`waiting on ${waitsFor(finalizer)}`);
  if (Date.parse(removed) + longRemoval < now) draft.error = true;
};

function waitsFor(finalizer: string): string {
  const marker = "controller.cattle.io/";
  const at = finalizer.lastIndexOf(marker);
  const name = at < 0 ? finalizer : finalizer.slice(at + marker.length);
  return name === "foregroundDeletion" ? "object cleanup" : name;
}

/** A load balancer without an address. */
export const loadBalancer: Step = ({ object, kind }, draft) => {
  const isOne = ["type", "serviceKind"].some(
    (key) => textAt(object, "spec", key) === "LoadBalancer",
  );
  const isQuiet = draft.state === "" || draft.state === "active";
  if (kind !== "Service" || !isOne || !isQuiet) return;
  if (listAt(object, "status", "loadBalancer", "ingress").length > 0) return;
  goesOn(draft, "pending", "Load balancer is being provisioned");
};

/** A custom resource whose controller has not seen the newest generation. */
export const generation: Step = ({ object, observesGeneration }, draft) => {
  const wanted = wholeAt(object, "metadata", "generation");
  if (draft.state !== "" || !observesGeneration || wanted === undefined) return;
  const observed = wholeAt(object, "status", "observedGeneration") ?? 0;
  if (observed !== wanted) goesOn(draft, "in-progress");
};

/** An object of Rancher's that is not ready; tells of one condition only, not of the whole. */
export const notReady: Step = ({ group, conditions }, draft) => {
  if (!group.endsWith("cattle.io")) return;
  const ready = conditions.find(
    ({ type, status, message }) => type === "Ready" && status === "False" && message !== "",
  );
  if (ready === undefined) return;
  draft.error = true;
  draft.messages.push(ready.message);
};

/** The events.k8s.io/v1 Event: what a controller says, and what is sent. */

import { defineKind, type Kind, type KubeObject, type ObjectRef } from "../../kube/index.ts";
import { cutMiddle } from "./cut.ts";

/** What happened to an object, for a person who describes it. */
export interface EventInput {
  readonly type: "Normal" | "Warning";
  /** Why, as a word in CamelCase: machines match on it. */
  readonly reason: string;
  /** A sentence for a person, without secrets; longer than 1024 bytes it is cut in the middle. */
  readonly message: string;
  /** What was done or tried, as a word in CamelCase; `Reconcile` unless told. */
  readonly action?: string;
  /** Another object that has to do with it. */
  readonly related?: ObjectRef;
  /** Who says so, instead of the recorder's own name. */
  readonly reportingController?: string;
}

/** A reference to an object in an Event; without its resourceVersion, which would make every event a new one. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
}

/** An Event as the API server stores it. */
export interface EventObject extends KubeObject {
  readonly eventTime: string;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly action: string;
  readonly reason: string;
  readonly note: string;
  readonly type: "Normal" | "Warning";
  readonly regarding: ObjectReference;
  readonly related?: ObjectReference;
  /** Only of an event that came more than once. */
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
}

/** The kind of events. */
export const Event: Kind<EventObject> = defineKind<EventObject>({
  group: "events.k8s.io",
  version: "v1",
  plural: "events",
  kind: "Event",
  scope: "Namespaced",
});

/** Everything of an event but its name and times: two events with equal essence are one series. */
export type EventEssence = Omit<
  EventObject,
  "metadata" | "apiVersion" | "kind" | "eventTime" | "series"
>;

/** Longest values the API server accepts, in bytes (kubernetes: pkg/apis/core/validation/events.go). */
const limits = {
  action: 128,
  reason: 128,
  reportingInstance: 128,
  note: 1024,
  /** Behind its domain, if there is one: it is a qualified name. */
  reportingController: 63,
};

/** The essence of what was said, in lengths that the server accepts. */
export function essenceOf(
  object: ObjectRef,
  { type, reason, message, action = "Reconcile", related, reportingController }: EventInput,
  reporting: { readonly controller: string; readonly instance: string },
): EventEssence {
  return {
    type,
    reason: cutMiddle(reason, limits.reason),
    action: cutMiddle(action, limits.action),
    note: cutMiddle(message, limits.note),
    reportingController: cutController(reportingController ?? reporting.controller),
    reportingInstance: cutMiddle(reporting.instance, limits.reportingInstance),
    regarding: referenceTo(object),
    ...(related && { related: referenceTo(related) }),
  };
}

/** `example.com/name` with a name that is short enough, cut where it stays a valid one. */
function cutController(controller: string): string {
  const start = controller.lastIndexOf("/") + 1;
  const name = cutMiddle(controller.slice(start), limits.reportingController, "...");
  return controller.slice(0, start) + name;
}

/** Whether an event would be about an event: then one could lead to the next for ever. */
export function isAboutEvent({
  kind,
  apiVersion,
}: Pick<ObjectRef, "apiVersion" | "kind">): boolean {
  return kind === "Event" && (apiVersion === "v1" || apiVersion.startsWith("events.k8s.io/"));
}

/** Events live beside their object; those about an object outside of namespaces live in `default`, where kubectl describe looks. */
export function namespaceFor({ regarding }: Pick<EventEssence, "regarding">): string {
  return regarding.namespace ?? "default";
}

/** A name nobody else uses: the object's own with `suffix`, or the suffix alone where that would be no valid name (`system:node`). */
export function eventName(object: string, suffix: string): string {
  const name = `${object}.${suffix}`;
  const valid =
    name.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name) && !/\.[-.]|-\./.test(name);
  return valid ? name : `event.${suffix}`;
}

/** A time as metav1.MicroTime prints it. */
export function toMicroTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace("Z", "000Z");
}

function referenceTo({ apiVersion, kind, metadata }: ObjectRef): ObjectReference {
  const { name, namespace, uid } = metadata;
  return {
    apiVersion,
    kind,
    name,
    ...(namespace ? { namespace } : {}),
    ...(uid ? { uid } : {}),
  };
}

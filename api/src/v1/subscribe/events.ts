/** What subscribers are sent (apiserver: pkg/types/server_types.go, APIEvent). Pure. */

import { inCluster } from "../items/in-cluster.ts";
import type { Problem } from "../problem.ts";
import { revisionText } from "../query/clusters.ts";
import type { Message } from "./message.ts";

/** What happened, by its name on the wire. */
export type Told =
  | "resource.start"
  | "resource.create"
  | "resource.change"
  | "resource.remove"
  | "resource.changes"
  | "resource.stop";

/** What a message is about: a subscription, and which of its clusters if there may be several. */
export interface Topic {
  readonly message: Message;
  readonly cluster?: string | undefined;
}

/** The data of messages that carry no object. */
const stub = Buffer.from('{"type":"subscribe","links":{}}');

/** A message, as its parts. */
export type Event = readonly Uint8Array[];

/** A message without an object. */
export function plainEvent(name: Told, message: Message, revision = ""): Event {
  return eventOf(name, message, revision, [stub]);
}

/** A message with an object; of several clusters both the object and the revision say which one's they are. */
export function itemEvent(
  name: Told,
  { message, cluster }: Topic,
  revision: string,
  item: readonly Uint8Array[],
): Event {
  if (cluster === undefined) return eventOf(name, message, revision, item);
  const told = revisionText([[cluster, revision]]);
  return eventOf(name, message, told, inCluster(cluster, item));
}

/** That something failed; says nothing of a subscription when it is about none. */
export function errorEvent({ message, cluster }: Topic, error: string): Event {
  const data = JSON.stringify({ ...(cluster !== undefined && { cluster }), error });
  return eventOf("resource.error", message, "", [Buffer.from(data)]);
}

/** What subscribers are told of a Problem: that something cannot be watched in words alone, as Steve does (apiserver: pkg/subscribe/watcher.go), else with its code. */
export function textOfProblem({ status, code, message }: Problem): string {
  return status === 404 || status === 405 ? message : `${code} ${status}: ${message}`;
}

/** Shows that the connection lives. */
export function pingEvent(version: string): Event {
  const data = { type: "subscribe", links: {}, version };
  return [Buffer.from(JSON.stringify({ name: "ping", data }))];
}

const closing = Buffer.from("}");

function eventOf(name: string, message: Message, revision: string, data: Event): Event {
  return [Buffer.from(`${head(name, message, revision)},"data":`), ...data, closing];
}

/** The subscription's own fields are echoed as they came; those that are empty are left out. */
function head(name: string, message: Message, revision: string): string {
  const { namespace, resourceType, id, selector, clusters, mode } = message;
  const fields = { name, namespace, resourceType, id, selector, clusters, revision, mode };
  const told = Object.entries(fields).filter(([, value]) => value !== "");
  return JSON.stringify(Object.fromEntries(told)).slice(0, -1);
}

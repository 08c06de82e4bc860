/** What subscribers are sent (apiserver: pkg/types/server_types.go, APIEvent). Pure. */

import type { Message } from "./message.ts";

/** What happened, by its name on the wire. */
export type Told =
  | "resource.start"
  | "resource.create"
  | "resource.change"
  | "resource.remove"
  | "resource.changes"
  | "resource.stop";

/** The data of messages that carry no object. */
const stub = Buffer.from('{"type":"subscribe","links":{}}');

/** A message, as its parts. */
export type Event = readonly Uint8Array[];

/** A message without an object. */
export function plainEvent(name: Told, message: Message, revision = ""): Event {
  return itemEvent(name, message, revision, [stub]);
}

/** A message with an object. */
export function itemEvent(
  name: Told,
  message: Message,
  revision: string,
  item: readonly Uint8Array[],
): Event {
  return [Buffer.from(`${head(name, message, revision)},"data":`), ...item, closing];
}

/** That something failed; says nothing of a subscription when it is about none. */
export function errorEvent(message: Message, error: string): Event {
  const begin = head("resource.error", message, "");
  return [Buffer.from(`${begin},"data":${JSON.stringify({ error })}}`)];
}

/** Shows that the connection lives. */
export function pingEvent(version: string): Event {
  const data = { type: "subscribe", links: {}, version };
  return [Buffer.from(JSON.stringify({ name: "ping", data }))];
}

const closing = Buffer.from("}");

/** The subscription's own fields are echoed as they came; those that are empty are left out. */
function head(name: string, message: Message, revision: string): string {
  const { namespace, resourceType, id, selector, mode } = message;
  const fields = { name, namespace, resourceType, id, selector, revision, mode };
  const told = Object.entries(fields).filter(([, value]) => value !== "");
  return JSON.stringify(Object.fromEntries(told)).slice(0, -1);
}

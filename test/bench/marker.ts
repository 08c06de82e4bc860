/** A Pod whose label changes on demand: who has seen its value has caught up with everything before. */

import type { Client } from "kopf-ts";
import { nameOf, namespaceOf } from "./pods.ts";
import type { Subject, SubjectEvent } from "./process.ts";

/** The label that informer subjects report as "marker" events. */
export const markerLabel = "bench-marker";

let counter = 0;

/** Labels Pod 0 with a new value and waits until the subject tells that it saw it. */
export async function passMarker(client: Client, subject: Subject): Promise<SubjectEvent> {
  const value = `m${++counter}-${process.pid}`;
  await label(client, value);
  for (;;) {
    const told = await subject.event("marker");
    if (told.value === value) return told;
  }
}

/** Takes the label off again, so that no later list shows it. */
export async function clearMarker(client: Client): Promise<void> {
  await label(client, null);
}

async function label(client: Client, value: string | null): Promise<void> {
  await client.request({
    method: "PATCH",
    path: `/api/v1/namespaces/${namespaceOf(0)}/pods/${nameOf(0)}`,
    headers: { "Content-Type": "application/merge-patch+json" },
    body: JSON.stringify({ metadata: { labels: { [markerLabel]: value } } }),
  });
}

/** One observer of Pods: a subscription to a /v1, or a watch of the API server. */

import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { WebSocket } from "ws";
import { Lines } from "./lines.ts";
import { monotonic } from "./monotonic.ts";

/** Who observes what, and how. */
export interface Observing {
  /** `https://host:port`. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Full objects, notices, or a watch of the API server. */
  readonly mode: "" | "resource.changes" | "watch";
  /** Observers, each on a connection of its own. */
  readonly count: number;
}

/** Who hears of it. */
export interface Ears {
  /** Of a change, by its revision and when it was told. */
  told(revision: number, at: number): void;
  /** That the server ended a subscription, which has begun anew. */
  ended(): void;
}

/** A subscription, from now on; resolves when it has begun. Messages are not packed, as those of the API server's watch are not. */
export function subscribe({ base, headers, mode }: Observing, ears: Ears): Promise<void> {
  const started = Promise.withResolvers<void>();
  const socket = new WebSocket(`${base.replace("https", "wss")}/v1/subscribe`, {
    ...{ headers, perMessageDeflate: false, rejectUnauthorized: false, skipUTF8Validation: true },
  });
  const asked = JSON.stringify({ resourceType: "pod", mode, debounceMs: 1 });
  const begin = (): void => socket.send(asked);
  socket.on("open", begin).on("error", started.reject);
  socket.on("close", () => started.reject(new Error("the server closed a subscription")));
  socket.on("message", (data: Buffer) => {
    const at = monotonic();
    const head = data.toString("latin1", 0, 200); // the envelope comes before the object
    const revision = /"revision":"(\d+)"/.exec(head)?.[1];
    if (revision !== undefined) return ears.told(Number(revision), at);
    if (head.includes('"resource.start"')) return started.resolve();
    if (head.includes('"resource.error"')) started.reject(new Error(head));
    if (!head.includes('"resource.stop"')) return;
    ears.ended();
    begin(); // as the Dashboard does
  });
  return started.promise;
}

/** A watch of the API server, from its newest revision; resolves when it has begun. */
export async function watch(observing: Observing, ears: Ears): Promise<void> {
  const list = await get(observing, "/api/v1/pods?limit=1");
  let text = "";
  for await (const chunk of list) text += chunk;
  const newest = JSON.parse(text).metadata.resourceVersion;
  const query = `watch=1&resourceVersion=${newest}&timeoutSeconds=3600`;
  const answer = await get(observing, `/api/v1/pods?${query}`);
  const lines = new Lines((line) => {
    const revision = revisionIn(line);
    if (revision !== undefined) ears.told(revision, monotonic());
  });
  answer.on("data", (chunk: Buffer) => lines.push(chunk));
  answer.on("end", () => ears.ended());
}

function get({ base, headers }: Observing, path: string): Promise<IncomingMessage> {
  const answered = Promise.withResolvers<IncomingMessage>();
  const options = { headers, rejectUnauthorized: false, agent: false } as const;
  const asked = request(`${base}${path}`, options, (answer) => {
    if (answer.statusCode === 200) answered.resolve(answer);
    else answered.reject(new Error(`${path}: status ${answer.statusCode}`));
  });
  asked.on("error", answered.reject).end();
  return answered.promise;
}

/** The first revision that a line tells, which is the object's: nothing is parsed. */
function revisionIn(line: Buffer): number | undefined {
  const at = line.indexOf('"resourceVersion":"');
  if (at < 0) return undefined;
  return Number(/^"resourceVersion":"(\d+)"/.exec(line.toString("latin1", at, at + 60))?.[1]);
}

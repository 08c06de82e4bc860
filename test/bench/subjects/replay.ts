/**
 * Stands before an API server and answers lists of all Pods, and what watches of them begin with, from the bytes that the API server itself sent the first
 * time: then it is not the source that limits who reads them. Everything else goes through. Asked with a line "asked", it tells requests and bytes
 * of its answers so far. Changes that watches tell meanwhile are recorded as well: from a line "hold" on watches hear these, at the pace of lines
 * `{"perSecond", "time"}`, each of which goes on where the one before ended, and the first of which comes anew after "rewind".
 */

import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent, createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { Lines } from "../v1/lines.ts";
import { monotonic, reached } from "../v1/monotonic.ts";
import {
  beginOf,
  continued,
  endsInitialEvents,
  type Recorded,
  recordedAs,
  watchedAs,
} from "../v1/recording.ts";
import { countWithin, due } from "../v1/schedule.ts";
import { Tape } from "../v1/tape.ts";
import { emit } from "./protocol.ts";

const { BENCH_KUBECONFIG: file = "", BENCH_CERT: cert = "", BENCH_KEY: key = "" } = process.env;
const kubeconfig = readFileSync(file, "utf8");
const server = new URL(/server: (\S+)/.exec(kubeconfig)?.[1] ?? "");

/** The administrator's: who asked is told by headers of impersonation, which go through. */
const agent = new Agent({
  ...{ keepAlive: true, ca: pem("certificate-authority-data") },
  ...{ cert: pem("client-certificate-data"), key: pem("client-key-data") },
});

function pem(field: string): Buffer {
  const text = new RegExp(`${field}: (\\S+)`).exec(kubeconfig)?.[1] ?? "";
  return Buffer.from(text, "base64");
}

/** An answer that was recorded. */
interface Recording {
  readonly type: string;
  readonly parts: readonly Buffer[];
}

const recordings = new Map<string, Recording>();
const tape = new Tape();
let requests = 0;
let bytes = 0;

async function handle(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  requests++;
  const { method = "", url = "" } = asked;
  const recorded = recordedAs(method, url, asked.headers.accept ?? "");
  const recording = recorded && recordings.get(recorded.key);
  if (recording === undefined) return goOn(asked, url, answer, recorded);
  answer.writeHead(200, { "Content-Type": recording.type });
  for (const part of recording.parts) await send(answer, part);
  if (recorded?.kind === "list") return void answer.end();
  await goOn(asked, continued(url, recording.parts.at(-1) ?? Buffer.of()), answer);
}

/** Answers a watch from the tape once that is held, and everything else from the API server. */
async function goOn(
  asked: IncomingMessage,
  target: string,
  answer: ServerResponse,
  recorded?: Recorded,
): Promise<void> {
  const watched = watchedAs(asked.method ?? "", target, asked.headers.accept ?? "");
  if (watched === undefined || !tape.isHeld) return forward(asked, target, answer, recorded);
  const gone = new AbortController();
  answer.once("close", () => gone.abort());
  if (!answer.headersSent) answer.writeHead(200, { "Content-Type": "application/json" });
  answer.flushHeaders();
  for await (const line of tape.follow(watched, beginOf(target), gone.signal))
    await send(answer, line);
}

async function send(answer: ServerResponse, part: Buffer): Promise<void> {
  bytes += part.length;
  if (answer.destroyed) throw new Error("the client has gone");
  if (answer.write(part)) return;
  const over = new AbortController();
  const either = ["drain", "close"].map((event) => once(answer, event, over));
  await Promise.race(either).finally(() => over.abort());
}

/** Passes a request on and its answer back, and records that on its way where it is to be. */
async function forward(
  asked: IncomingMessage,
  target: string,
  answer: ServerResponse,
  recorded?: Recorded,
): Promise<void> {
  const { host: _, authorization: __, "accept-encoding": ___, ...headers } = asked.headers;
  const upstream = request(new URL(target, server), { agent, method: asked.method, headers });
  answer.once("close", () => upstream.destroy());
  asked.pipe(upstream);
  const found = await new Promise<IncomingMessage>((resolve, reject) => {
    upstream.once("response", resolve).once("error", reject);
  });
  if (!answer.headersSent) answer.writeHead(found.statusCode ?? 502, found.headers);
  const watched = watchedAs(asked.method ?? "", target, asked.headers.accept ?? "");
  const record = found.statusCode === 200 ? recorder(found, watched, recorded) : undefined;
  for await (const chunk of found) {
    record?.(chunk);
    await send(answer, chunk);
  }
  record?.(undefined);
  answer.end();
}

/** Takes each chunk, and undefined at the end; a recording counts once it is whole. Undefined when nothing is to be recorded. */
function recorder(
  { headers }: IncomingMessage,
  watched: string | undefined,
  recorded: Recorded | undefined,
): ((chunk: Buffer | undefined) => void) | undefined {
  const parts: Buffer[] = [];
  const done = ({ key: name }: Recorded): void =>
    void recordings.set(name, { type: headers["content-type"] ?? "", parts });
  if (watched === undefined) {
    if (recorded === undefined) return undefined;
    return (chunk) => (chunk === undefined ? done(recorded) : void parts.push(chunk));
  }
  let isOver = recorded === undefined;
  const lines = new Lines((line) => {
    if (isOver) return tape.keep(watched, line);
    parts.push(Buffer.concat([line, Buffer.from("\n")]));
    isOver = endsInitialEvents(line);
    if (isOver && recorded !== undefined) done(recorded);
  });
  return (chunk) => {
    if (chunk !== undefined) lines.push(chunk);
  };
}

/** Plays changes at a rate; what is late comes at once. */
async function play(perSecond: number, time: number): Promise<void> {
  const begin = monotonic();
  const changes: [number, number][] = [];
  for (let index = 0; index < countWithin(time, perSecond); index++) {
    await reached(begin + due(index, perSecond));
    const revision = tape.play();
    if (revision === undefined) throw new Error("more changes were asked for than were recorded");
    changes.push([revision, monotonic()]);
  }
  const wall = Math.max(time, monotonic() - begin);
  emit("applied", { changes, perSecond: (changes.length * 1000) / wall });
}

const front = createServer(
  { cert: readFileSync(cert), key: readFileSync(key) },
  (asked, answer) => {
    handle(asked, answer).catch(() => answer.destroy());
  },
);
front.listen(0, "127.0.0.1", () => {
  const { port } = front.address() as AddressInfo;
  emit("listening", { address: `127.0.0.1:${port}` });
});

async function tell(line: string): Promise<void> {
  if (line === "asked") return emit("asked", { requests, bytes });
  if (line === "hold") return emit("held", { changes: tape.hold() });
  if (line === "rewind") {
    tape.rewind();
    return emit("rewound");
  }
  const { perSecond, time } = JSON.parse(line);
  await play(perSecond, time);
}

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  tell(line).catch((error: unknown) => {
    process.stderr.write(`${error}\n`);
    process.exit(1);
  });
});
lines.on("close", () => process.exit(0)); // the harness has ended
process.once("SIGTERM", () => process.exit(0));

/**
 * Stands before an API server and answers lists of all Pods, and what watches of them begin with, from the bytes that the API server itself sent the first
 * time: then it is not the source that limits who reads them. Everything else goes through. Asked with a line "asked", it tells requests and bytes
 * of its answers so far.
 */

import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent, createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { Lines } from "../v1/lines.ts";
import { continued, endsInitialEvents, type Recorded, recordedAs } from "../v1/recording.ts";
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
let requests = 0;
let bytes = 0;

async function handle(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  requests++;
  const { method = "", url = "" } = asked;
  const recorded = recordedAs(method, url, asked.headers.accept ?? "");
  const recording = recorded && recordings.get(recorded.key);
  if (recording === undefined) return forward(asked, url, answer, recorded);
  answer.writeHead(200, { "Content-Type": recording.type });
  for (const part of recording.parts) await send(answer, part);
  if (recorded?.kind === "list") return void answer.end();
  await forward(asked, continued(url, recording.parts.at(-1) ?? Buffer.of()), answer);
}

async function send(answer: ServerResponse, part: Buffer): Promise<void> {
  bytes += part.length;
  if (answer.destroyed) throw new Error("the client has gone");
  if (!answer.write(part)) await Promise.race([once(answer, "drain"), once(answer, "close")]);
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
  const record = recorded && found.statusCode === 200 ? recorder(recorded, found) : undefined;
  for await (const chunk of found) {
    record?.(chunk);
    await send(answer, chunk);
  }
  record?.(undefined);
  answer.end();
}

/** Takes each chunk, and undefined at the end; a recording counts once it is whole. */
function recorder(
  { key: name, kind }: Recorded,
  { headers }: IncomingMessage,
): (chunk: Buffer | undefined) => void {
  const parts: Buffer[] = [];
  const done = (): void =>
    void recordings.set(name, { type: headers["content-type"] ?? "", parts });
  if (kind === "list") {
    return (chunk) => {
      if (chunk === undefined) done();
      else parts.push(chunk);
    };
  }
  let isOver = false;
  const lines = new Lines((line) => {
    if (isOver) return;
    parts.push(Buffer.concat([line, Buffer.from("\n")]));
    isOver = endsInitialEvents(line);
    if (isOver) done();
  });
  return (chunk) => {
    if (chunk !== undefined && !isOver) lines.push(chunk);
  };
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
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  if (line === "asked") emit("asked", { requests, bytes });
});
lines.on("close", () => process.exit(0)); // the harness has ended
process.once("SIGTERM", () => process.exit(0));

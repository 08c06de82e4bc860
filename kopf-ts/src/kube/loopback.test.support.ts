/** Servers of our own on 127.0.0.1, for what a real API server never does on demand. */

import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from "node:net";
import { type Clock, sleeper, type Timer } from "../base/index.ts";
import type { Client } from "./client.ts";
import { type ConnectOptions, connect } from "./connect.ts";
import { defineKind, type Kind } from "./kind.ts";
import type { KubeObject } from "./object.ts";

/** A request as it arrived. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
  /** Which connection it came on; the first is 0. */
  readonly connection: number;
}

/** Answers one request; `index` counts them from 0. */
export type Script = (
  response: ServerResponse,
  request: Seen,
  index: number,
) => void | Promise<void>;

/** A scripted server; disposing it cuts its connections. */
export interface Loopback extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly seen: readonly Seen[];
  /** Connections opened so far. */
  readonly connections: () => number;
  /** Connections open now. */
  readonly open: () => number;
  readonly cut: () => void;
}

/** Starts a server that does what the script says. */
export async function loopback(script: Script): Promise<Loopback> {
  const seen: Seen[] = [];
  const numbers = new WeakMap<Socket, number>();
  const server = createServer(async (request, response) => {
    const { method = "", url: path = "", headers, rawHeaders, socket } = request;
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const connection = numbers.get(socket) ?? -1;
    const one = { method, path, headers, rawHeaders, body, connection };
    await script(response, one, seen.push(one) - 1);
  });
  return listen(server, numbers, seen);
}

/** Starts a server that speaks raw TCP; `onConnection` gets each socket. */
export async function tcpLoopback(
  onConnection: (socket: Socket, index: number) => void,
): Promise<Loopback> {
  let count = 0;
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    onConnection(socket, count++);
  });
  return listen(server, new WeakMap(), []);
}

async function listen(
  server: Server | TcpServer,
  numbers: WeakMap<Socket, number>,
  seen: readonly Seen[],
): Promise<Loopback> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    numbers.set(socket, connections++);
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    seen,
    connections: () => connections,
    open: () => sockets.size,
    cut,
    [Symbol.asyncDispose]: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A port of 127.0.0.1 at which nobody listens. */
export async function deadPort(): Promise<number> {
  await using server = await tcpLoopback(() => undefined);
  return server.port;
}

/** Answers with JSON. */
export function json(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** Answers with a Status. */
export function fail(
  response: ServerResponse,
  code: number,
  reason = "Whatever",
  headers: Readonly<Record<string, string>> = {},
): void {
  const status = { apiVersion: "v1", kind: "Status", status: "Failure", code, reason };
  json(response, { ...status, message: `said ${reason}` }, code, headers);
}

/** Answers that there is no object of that name. */
export function missing(response: ServerResponse, name: string): void {
  const status = { apiVersion: "v1", kind: "Status", status: "Failure", code: 404 };
  const message = `configmaps "${name}" not found`;
  json(response, { ...status, reason: "NotFound", message, details: { name } }, 404);
}

/** A ConfigMap, for requests that are not about anything. */
export interface ConfigMapObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** The kind of ConfigMapObject. */
export const ConfigMap: Kind<ConfigMapObject> = defineKind<ConfigMapObject>({
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  scope: "Namespaced",
});

/** A ConfigMap of that name. */
export function aConfigMap(name = "a", namespace = "default"): ConfigMapObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace } };
}

/** A client of a loopback server that needs no discovery for ConfigMaps. */
export function clientOf({ url }: Pick<Loopback, "url">, options: ConnectOptions = {}): Client {
  return connect({ server: url }, { kinds: [ConfigMap], ...options });
}

/** What a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (thrown) {
    return thrown;
  }
  throw new Error("it did not reject");
}

/** Waits for a condition, 1.5 s at most. */
export async function until(
  condition: () => boolean,
  what: string = String(condition),
): Promise<void> {
  const end = performance.now() + 1_500;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`not within 1.5 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** A clock that stands still until it is moved. */
export class ManualClock implements Clock {
  #time = 1_000_000;
  readonly #timers = new Set<{ readonly at: number; readonly fn: () => void }>();
  readonly sleep: Clock["sleep"] = sleeper((delay, fn) => this.after(delay, fn));

  now(): number {
    return this.#time;
  }

  monotonic(): number {
    return this.#time;
  }

  after(delay: number, fn: () => void): Timer {
    const timer = { at: this.#time + delay, fn };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  at(time: number, fn: () => void): Timer {
    return this.after(time - this.#time, fn);
  }

  /** Delays from now of the timers that wait, soonest first. */
  waiting(): readonly number[] {
    return [...this.#timers].map(({ at }) => at - this.#time).sort((a, b) => a - b);
  }

  /** Moves on and calls what is due. */
  advance(milliseconds: number): void {
    this.#time += milliseconds;
    for (const timer of [...this.#timers].sort((a, b) => a.at - b.at)) {
      if (timer.at > this.#time || !this.#timers.delete(timer)) continue;
      timer.fn();
    }
  }
}

/** Lets time pass whenever something waits for less than 20 s, until the promise settles. */
export async function fastForward<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  let settled = false;
  const done = (): void => {
    settled = true;
  };
  promise.then(done, done);
  while (!settled) {
    const [next] = clock.waiting();
    if (next !== undefined && next < 20_000) clock.advance(next);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return promise;
}

/** Subscriptions over websockets, for tests. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { type ClientOptions, WebSocket } from "ws";
import { answer } from "../../listener/exchange.ts";
import { answerUpgrade } from "../../listener/upgrade.ts";
import type { Exchange } from "../../stage.ts";
import { refuseProblem } from "../refuse.ts";
import type { Subscriptions } from "./index.ts";

/** Serves subscriptions to whoever the header `X-User` says, else to `system:masters`. Whoever made those disposes them first. */
export class Websockets implements AsyncDisposable {
  /** Begins to stop the server. */
  readonly stopping: AbortController = new AbortController();
  readonly #subscriptions: Subscriptions;
  readonly #server: Server;
  readonly #open = new Set<Subscriber>();

  constructor(subscriptions: Subscriptions, log: Logger) {
    this.#subscriptions = subscriptions;
    const answering = {
      handle: (exchange: Exchange) => this.#handle(exchange),
      ...{ log, stopping: this.stopping.signal },
    };
    this.#server = createServer((request, response) =>
      answer(request, response, undefined, answering),
    );
    this.#server.on("upgrade", (request: IncomingMessage, socket, head) =>
      answerUpgrade(request, socket, head, (response, upgrade) =>
        answer(request, response, upgrade, answering),
      ),
    );
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  /** Opens a websocket for somebody. */
  async subscriber(user?: string, options: ClientOptions = {}, query = ""): Promise<Subscriber> {
    const subscriber = await openSubscriber(this.port, user, options, query);
    this.#open.add(subscriber);
    return subscriber;
  }

  /** Closes what tests have opened. */
  async closeAll(): Promise<void> {
    for (const { ws } of this.#open) ws.terminate();
    this.#open.clear();
    await eventually(() => this.#subscriptions.stats.sessions === 0, { within: 20_000 });
  }

  async #handle(exchange: Exchange): Promise<void> {
    const user = exchange.request.headers["x-user"];
    const groups = user === undefined ? ["system:masters"] : [];
    exchange.login = {
      caller: { username: String(user ?? "admin"), groups: [...groups, "system:authenticated"] },
      token: undefined,
    };
    exchange.response.setHeader("Set-Cookie", ["CSRF=1", "other=2"]);
    try {
      const base = `http://${exchange.request.headers.host}`;
      await this.#subscriptions.route(exchange, { base });
    } catch (thrown) {
      refuseProblem(exchange, thrown);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { ws } of this.#open) ws.terminate();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Opens a websocket to a port of this machine for somebody; rejects when it is refused. */
export async function openSubscriber(
  port: number,
  user: string | undefined,
  options: ClientOptions = {},
  query = "",
): Promise<Subscriber> {
  const headers = user === undefined ? {} : { "X-User": user };
  const ws = new WebSocket(`ws://127.0.0.1:${port}/v1/subscribe${query}`, { ...options, headers });
  const subscriber = new Subscriber(ws, user);
  await once(ws, "open");
  return subscriber;
}

/** A message from the server. */
export interface Told {
  readonly name: string;
  readonly resourceType?: string;
  readonly namespace?: string;
  readonly id?: string;
  readonly selector?: string;
  readonly mode?: string;
  readonly revision?: string;
  readonly data: Data;
}

/** What tests look at of an item, an error or a ping; what a message lacks is undefined all the same. */
export interface Data {
  readonly id: string;
  readonly cluster: string;
  readonly error: string;
  readonly text: string;
  readonly version: string;
  readonly links: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>> & {
    readonly name: string;
    readonly resourceVersion: string;
    readonly fields: readonly unknown[];
  };
  readonly data: Readonly<Record<string, string>>;
}

/** One side of a websocket, and all it has read. */
export class Subscriber {
  readonly ws: WebSocket;
  readonly user: string;
  readonly told: Told[] = [];
  /** Cookies of the handshake. */
  cookies: readonly string[] = [];
  /** Code and reason of the end. */
  closed: readonly [code: number, reason: string] | undefined;

  constructor(ws: WebSocket, user = "admin") {
    this.ws = ws;
    this.user = user;
    ws.on("upgrade", ({ headers }) => {
      this.cookies = headers["set-cookie"] ?? [];
    });
    ws.on("message", (data) => this.told.push(JSON.parse(String(data))));
    ws.on("close", (code, reason) => {
      this.closed = [code, String(reason)];
    });
    ws.on("error", () => undefined);
  }

  send(message: object | string): void {
    this.ws.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  /** Starts a watch and waits until it has begun. */
  async watch(message: object): Promise<void> {
    const before = this.named("resource.start").length;
    this.send(message);
    await this.until(() => this.named("resource.start").length > before, "the start of a watch");
  }

  named(name: string): readonly Told[] {
    return this.told.filter((each) => each.name === name);
  }

  /** The names of messages and the objects in them, in order; pings left out. */
  get course(): readonly string[] {
    return this.told
      .filter(({ name }) => name !== "ping")
      .map(({ name, data }) => {
        const object = data.metadata?.name;
        const short = name.replace("resource.", "");
        return object === undefined ? short : `${short} ${object}`;
      });
  }

  async until(look: () => boolean, what: string): Promise<void> {
    await eventually(look, { within: 20_000, what }).catch((error: unknown) => {
      const seen = this.course.slice(-30).join(", ");
      throw new Error(`${what}; seen: ${seen}`, { cause: error });
    });
  }

  /** Waits for a message. */
  async heard(name: string, object?: string): Promise<Told> {
    const find = (): Told | undefined =>
      this.told.find(
        (each) =>
          each.name === name && (object === undefined || each.data.metadata?.name === object),
      );
    await this.until(() => find() !== undefined, `${name} ${object ?? ""}`);
    const found = find();
    if (found === undefined) throw new Error("heard and lost");
    return found;
  }
}

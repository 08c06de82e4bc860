/** Subscriptions to a real API server, over websockets, for tests. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Client, type Clock, Informers, type Logger, Metrics, systemClock } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { type ClientOptions, WebSocket } from "ws";
import { answer } from "../../listener/exchange.ts";
import { answerUpgrade } from "../../listener/upgrade.ts";
import type { Exchange } from "../../stage.ts";
import { RbacAccess } from "../access/index.ts";
import { TypeCollections } from "../collections/index.ts";
import { CachedItems } from "../items/index.ts";
import { refuseProblem } from "../refuse.ts";
import { methodsOf } from "../schemas/index.ts";
import { LiveTypes } from "../types/index.ts";
import { Subscriptions } from "./index.ts";
import type { SpecialFeed } from "./special.ts";

/** What a test may say of its server. */
export interface HarnessOptions {
  readonly clock?: Clock;
  readonly log: Logger;
  readonly specials?: Readonly<Record<string, SpecialFeed>>;
}

/** Serves subscriptions to whoever the header `X-User` says, else to `system:masters`. */
export class SubscribeServer implements AsyncDisposable {
  readonly client: Client;
  readonly types: LiveTypes;
  readonly access: RbacAccess;
  readonly subscriptions: Subscriptions;
  /** Users whose logins have ended. */
  readonly ended: Set<string> = new Set();
  /** Begins to stop the server. */
  readonly stopping: AbortController = new AbortController();
  readonly collections: TypeCollections;
  readonly #metrics = new Metrics({ process: false });
  readonly #stop = new AbortController();
  readonly #informers: Informers;
  readonly #server: Server;
  readonly #open = new Set<Subscriber>();

  constructor(client: Client, { clock = systemClock, log, specials = {} }: HarnessOptions) {
    this.client = client;
    this.#informers = new Informers(client, { managedFields: "cold" });
    const parts = { client, informers: this.#informers, clock: systemClock, log };
    this.types = new LiveTypes(parts);
    this.access = new RbacAccess(parts);
    this.collections = new TypeCollections({ ...parts, types: this.types });
    this.subscriptions = new Subscriptions({
      ...{ types: this.types, access: this.access, collections: this.collections },
      ...{ methodsOf, specials, clock, log, version: "v0" },
      metrics: this.#metrics,
      items: new CachedItems({ types: this.types }),
      stillCounts: ({ caller }) => !this.ended.has(caller.username),
    });
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

  async start(): Promise<void> {
    const { signal } = this.#stop;
    void this.types.start(signal);
    this.access.start(signal);
    void this.collections.start(signal);
    await Promise.all([this.types.ready(signal), this.access.ready(signal)]);
    // Columns come a moment later, and make types anew.
    const columns = (): number => this.types.find("configmap")?.columns.length ?? 0;
    await eventually(() => columns() > 0, { within: 20_000, what: "columns of ConfigMaps" });
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  /** Opens a websocket for somebody. */
  async subscriber(user?: string, options: ClientOptions = {}, query = ""): Promise<Subscriber> {
    const headers = user === undefined ? {} : { "X-User": user };
    const ws = new WebSocket(`ws://127.0.0.1:${this.port}/v1/subscribe${query}`, {
      ...options,
      headers,
    });
    const subscriber = new Subscriber(ws, user);
    this.#open.add(subscriber);
    await once(ws, "open");
    return subscriber;
  }

  /** What a metric without labels says. */
  async metric(name: string): Promise<number> {
    const text = await this.#metrics.text();
    return Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
  }

  /** Closes what tests have opened. */
  async closeAll(): Promise<void> {
    for (const { ws } of this.#open) ws.terminate();
    this.#open.clear();
    await eventually(() => this.subscriptions.stats.sessions === 0, { within: 20_000 });
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
      await this.subscriptions.route(exchange, { base });
    } catch (thrown) {
      refuseProblem(exchange, thrown);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { ws } of this.#open) ws.terminate();
    this.subscriptions[Symbol.dispose]();
    this.#stop.abort();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.#informers.dispose();
  }
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
  // biome-ignore lint/suspicious/noExplicitAny: tests look into objects of any kind
  readonly data: any;
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

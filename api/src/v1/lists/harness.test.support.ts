/** Lists of a real API server, over HTTP, for tests. */

import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type ControlPlane, testEnv } from "@drover/env";
import {
  type Client,
  connect,
  Informers,
  loadConfig,
  Metrics,
  silentLogger,
  systemClock,
} from "kopf-ts";
import { steveHeaders } from "../../headers/index.ts";
import { answer } from "../../listener/exchange.ts";
import type { Exchange } from "../../stage.ts";
import { Threads } from "../../threads.ts";
import { RbacAccess } from "../access/index.ts";
import { ResponseCache } from "../answers/response-cache.ts";
import { TypeCollections } from "../collections/index.ts";
import { Fields } from "../fields/index.ts";
import { LiveInventory } from "../inventory/index.ts";
import type { Inventory } from "../inventory/inventory.ts";
import { CachedItems } from "../items/index.ts";
import type { TypeHandler } from "../request.ts";
import { OpenApi } from "../schemas/index.ts";
import { LiveTypes } from "../types/index.ts";
import type { ResourceType } from "../types/resource-type.ts";
import { listHandler } from "./index.ts";

/** An answer of the server under test. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Serves lists of a cluster to whoever the header `X-User` says, else to `system:masters`. */
export class ListServer implements AsyncDisposable {
  readonly client: Client;
  readonly #metrics = new Metrics({ process: false });
  readonly #stop = new AbortController();
  readonly #informers: Informers;
  readonly #types: LiveTypes;
  readonly #access: RbacAccess;
  readonly #server: Server;
  readonly #collections: TypeCollections;
  readonly #inventory: LiveInventory;
  #asked: WeakRef<Exchange>[] = [];

  constructor(client: Client) {
    this.client = client;
    this.#informers = new Informers(client, { managedFields: "cold" });
    const parts = { client, informers: this.#informers, clock: systemClock, log: silentLogger };
    this.#types = new LiveTypes(parts);
    this.#access = new RbacAccess(parts);
    this.#collections = new TypeCollections({ ...parts, types: this.#types });
    this.#inventory = new LiveInventory({ ...parts, types: this.#types });
    const threads = new Threads(systemClock);
    const list = listHandler({
      types: this.#types,
      collections: this.#collections,
      fields: new Fields(systemClock),
      items: new CachedItems({ types: this.#types, inventory: this.#inventory, threads }),
      inventory: this.#inventory,
      openApi: new OpenApi(client, systemClock),
      responses: new ResponseCache({
        ...{ clock: systemClock, bytes: 8 * 1024 * 1024, metrics: this.#metrics },
      }),
      clock: systemClock,
    });
    const answering = {
      handle: (exchange: Exchange) => steveHeaders(exchange, () => this.#handle(exchange, list)),
      log: silentLogger,
      stopping: this.#stop.signal,
    };
    this.#server = createServer((request, response) =>
      answer(request, response, undefined, answering),
    );
  }

  /** Starts one for the control plane that tests share, or for a test's own. */
  static async start(own?: ControlPlane): Promise<ListServer> {
    const { kubeconfigPath: kubeconfig } = own ?? (await testEnv());
    const server = new ListServer(connect(await loadConfig({ kubeconfig })));
    await server.#start();
    return server;
  }

  /** Asks for a path behind /v1. */
  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const response = await fetch(`${this.#url}/v1/${path}`, { headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** The same without undoing what was done to the bytes on their way. */
  async raw(
    path: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ readonly encoding: string | undefined; readonly body: Buffer }> {
    const sent = request(`${this.#url}/v1/${path}`, { headers }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const encoding = response.headers["content-encoding"];
    return { encoding, body: await buffer(response) };
  }

  /** Responses that were sent again so far. */
  hits(): Promise<number> {
    return this.#counted("drover_api_response_cache_hits_total");
  }

  /** Responses around items that were put together before, so far. */
  runHits(): Promise<number> {
    return this.#counted("drover_api_response_cache_run_hits_total");
  }

  async #counted(name: string): Promise<number> {
    const line = new RegExp(`^${name} (\\d+)$`, "m").exec(await this.#metrics.text());
    return Number(line?.[1] ?? 0);
  }

  /** Requests that somebody still holds, once all garbage is collected. */
  heldRequests(): number {
    globalThis.gc?.();
    this.#asked = this.#asked.filter((each) => each.deref() !== undefined);
    return this.#asked.length;
  }

  get #url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Lets lists know who owns what. */
  followOwners(): void {
    this.#inventory.start(this.#stop.signal);
  }

  /** Filled once `followOwners` was called. */
  get inventory(): Inventory {
    return this.#inventory;
  }

  type(id: string): ResourceType | undefined {
    return this.#types.find(id);
  }

  async #start(): Promise<void> {
    const { signal } = this.#stop;
    void this.#types.start(signal);
    void this.#collections.start(signal);
    this.#access.start(signal);
    await Promise.all([this.#types.ready(signal), this.#access.ready(signal)]);
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  async #handle(exchange: Exchange, list: TypeHandler): Promise<void> {
    this.#asked.push(new WeakRef(exchange));
    const [, , name = "", namespace] = exchange.path.split("/");
    const type = this.#types.find(name);
    const user = exchange.request.headers["x-user"];
    const groups = user === undefined ? ["system:masters"] : [];
    exchange.login = {
      caller: { username: String(user ?? "admin"), groups: [...groups, "system:authenticated"] },
      token: undefined,
    };
    const access = this.#access.of(exchange.login.caller);
    const base = `http://${exchange.request.headers.host}`;
    if (type === undefined) throw new Error(`no type ${name}`);
    const of = { exchange, method: "GET", type, access, namespace, base };
    await list({ ...of, name: undefined, link: undefined, signal: exchange.signal });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.#informers.dispose();
    await this.client[Symbol.asyncDispose]();
  }
}

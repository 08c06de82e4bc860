/** All of /v1 over HTTP, on a real API server, for tests: whoever asks says who they are by `X-User`, or is an administrator. */

import { Agent, createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type LiveSettings, parseFeatures } from "@drover/platform";
import {
  type ClusterConfig,
  connect,
  type ForwardingClient,
  Informers,
  Metrics,
  systemClock,
} from "kopf-ts";
import type { ClientOptions } from "ws";
import { answer } from "../listener/exchange.ts";
import { answerUpgrade } from "../listener/upgrade.ts";
import { notFound } from "../not-found/index.ts";
import type { Exchange } from "../stage.ts";
import { Tenures } from "../tenures.ts";
import { V1 } from "./index.ts";
import { loudLogger } from "./subscribe/loud-logger.test.support.ts";
import { openSubscriber, type Subscriber } from "./subscribe/websockets.test.support.ts";

/** Everything behind /v1, as a process serves it. */
export class ServedV1 implements AsyncDisposable {
  readonly client: ForwardingClient;
  /** Keeps connections between requests. */
  readonly agent: Agent = new Agent({ keepAlive: true });
  /** Lines at error level. */
  readonly loud: readonly string[];
  readonly #stop = new AbortController();
  readonly #informers: Informers;
  readonly #v1: V1;
  readonly #server: Server;
  readonly #metrics = new Metrics({ process: false });
  readonly #subscribers = new Set<Subscriber>();
  #running: Promise<void> | undefined;

  private constructor(client: ForwardingClient) {
    const { log, loud } = loudLogger();
    this.loud = loud;
    this.client = client;
    this.#informers = new Informers(client, { managedFields: "cold", audit: false });
    this.#v1 = new V1({
      ...{ client, forwarding: client, informers: this.#informers, clock: systemClock, log },
      ...{ settings: noSettings, features: parseFeatures(""), version: "test", headerAuth: true },
      ...{
        metrics: this.#metrics,
        tenures: new Tenures({ clock: systemClock, log, standingOf: () => "counts" }),
        personCalled: async () => undefined,
      },
    });
    const answering = { handle: this.handle, log, stopping: this.#stop.signal };
    this.#server = createServer({ maxHeaderSize: 128 * 1024 }, (request, response) =>
      answer(request, response, undefined, answering),
    );
    this.#server.on("upgrade", (request: IncomingMessage, socket, head) =>
      answerUpgrade(request, socket, head, (response, upgrade) =>
        answer(request, response, upgrade, answering),
      ),
    );
  }

  /** Starts one for the API server that a configuration leads to. */
  static async start(config: ClusterConfig): Promise<ServedV1> {
    const served = new ServedV1(connect(config));
    served.#running = served.#v1.start(served.#stop.signal);
    await served.#v1.types.ready(served.#stop.signal);
    await new Promise<void>((resolve) => served.#server.listen(0, "127.0.0.1", resolve));
    return served;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port; // it listens on one
  }

  /** Whether there is a type of that name. */
  knows(type: string): boolean {
    return this.#v1.types.find(type) !== undefined;
  }

  /** Serves a request, for a listener of the test's own as well. */
  readonly handle = async (exchange: Exchange): Promise<void> => {
    exchange.login = loginOf(exchange.request);
    await this.#v1.stage(exchange, () => notFound(exchange, async () => undefined));
  };

  /** Asks for a path behind /v1, as somebody; resolves with what the answer says, whatever its status. */
  async get(path: string, user?: string): Promise<unknown> {
    const headers: Record<string, string> = user === undefined ? {} : { "X-User": user };
    const response = await fetch(`http://127.0.0.1:${this.port}/v1/${path}`, { headers });
    return response.json();
  }

  /** Opens a websocket for somebody. */
  async subscriber(user?: string, options: ClientOptions = {}): Promise<Subscriber> {
    const subscriber = await openSubscriber(this.port, user, options);
    this.#subscribers.add(subscriber);
    return subscriber;
  }

  /** What a metric without labels says. */
  async metric(name: string): Promise<number> {
    const text = await this.#metrics.text();
    return Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    for (const { ws } of this.#subscribers) ws.terminate();
    this.agent.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.#running;
    await this.#informers.dispose();
    await this.client[Symbol.asyncDispose]();
  }
}

const noSettings = { text: () => "" } as unknown as LiveSettings;

function loginOf({ headers }: IncomingMessage): Exchange["login"] {
  const user = headers["x-user"];
  const groups = user === undefined ? ["system:masters"] : [];
  const caller = {
    username: String(user ?? "admin"),
    groups: [...groups, "system:authenticated"],
  };
  return { caller, token: undefined };
}

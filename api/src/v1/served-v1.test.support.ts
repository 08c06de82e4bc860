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
import { answer } from "../listener/exchange.ts";
import { notFound } from "../not-found/index.ts";
import type { Exchange } from "../stage.ts";
import { Tenures } from "../tenures.ts";
import { V1 } from "./index.ts";
import { loudLogger } from "./subscribe/loud-logger.test.support.ts";

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
        metrics: new Metrics({ process: false }),
        tenures: new Tenures({ clock: systemClock, log, standingOf: () => "counts" }),
        personCalled: async () => undefined,
      },
    });
    const handle = (exchange: Exchange): Promise<void> => this.#handle(exchange);
    this.#server = createServer({ maxHeaderSize: 128 * 1024 }, (request, response) =>
      answer(request, response, undefined, { handle, log, stopping: this.#stop.signal }),
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

  async #handle(exchange: Exchange): Promise<void> {
    exchange.login = loginOf(exchange.request);
    await this.#v1.stage(exchange, () => notFound(exchange, async () => undefined));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
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

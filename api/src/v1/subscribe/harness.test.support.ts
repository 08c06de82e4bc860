/** Subscriptions to a real API server, over websockets, for tests. */

import { type Client, type Clock, Informers, type Logger, Metrics, systemClock } from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import type { ClientOptions } from "ws";
import type { LoginStanding } from "../../caller.ts";
import { Tenures } from "../../tenures.ts";
import { RbacAccess } from "../access/index.ts";
import { TypeCollections } from "../collections/index.ts";
import { CachedItems } from "../items/index.ts";
import { LiveTypes } from "../types/index.ts";
import { ClusterWatches, Subscriptions, WatchShares } from "./index.ts";
import type { SpecialFeed } from "./special.ts";
import { type Subscriber, Websockets } from "./websockets.test.support.ts";

/** What a test may say of its server. */
export interface HarnessOptions {
  readonly clock?: Clock;
  /** Of the informers: what they put off comes when it says so. */
  readonly informersClock?: Clock;
  readonly log: Logger;
  readonly specials?: Readonly<Record<string, SpecialFeed>>;
}

/** Serves subscriptions to whoever the header `X-User` says, else to `system:masters`. */
export class SubscribeServer implements AsyncDisposable {
  readonly client: Client;
  readonly types: LiveTypes;
  readonly access: RbacAccess;
  readonly subscriptions: Subscriptions;
  /** What became of the logins of users. */
  readonly standings: Map<string, LoginStanding> = new Map();
  readonly tenures: Tenures;
  readonly collections: TypeCollections;
  readonly #metrics = new Metrics({ process: false });
  readonly #stop = new AbortController();
  readonly #informers: Informers;
  readonly #websockets: Websockets;

  constructor(
    client: Client,
    { clock = systemClock, informersClock, log, specials = {} }: HarnessOptions,
  ) {
    this.client = client;
    this.#informers = new Informers(client, { managedFields: "cold", clock: informersClock });
    const parts = { client, informers: this.#informers, clock: systemClock, log };
    this.types = new LiveTypes(parts);
    this.access = new RbacAccess(parts);
    this.collections = new TypeCollections({ ...parts, types: this.types });
    const shares = new WatchShares({ log, metrics: this.#metrics });
    this.tenures = new Tenures({
      ...{ clock, log },
      standingOf: ({ caller }) => this.standings.get(caller.username) ?? "counts",
    });
    const { types, collections } = this;
    const items = new CachedItems({ types });
    this.subscriptions = new Subscriptions({
      ...{ access: this.access, shares, specials, clock, log, version: "v0" },
      several: () => ({ accessChanged: () => undefined, [Symbol.dispose]: () => undefined }),
      watches: new ClusterWatches({ types, collections, items, clock, log }, shares),
      tenures: this.tenures,
    });
    this.#websockets = new Websockets(this.subscriptions, log);
  }

  /** Begins to stop the server. */
  get stopping(): AbortController {
    return this.#websockets.stopping;
  }

  get port(): number {
    return this.#websockets.port;
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
    await this.#websockets.listen();
  }

  /** Opens a websocket for somebody. */
  subscriber(user?: string, options: ClientOptions = {}, query = ""): Promise<Subscriber> {
    return this.#websockets.subscriber(user, options, query);
  }

  /** What a metric without labels says. */
  async metric(name: string): Promise<number> {
    const text = await this.#metrics.text();
    return Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
  }

  /** Closes what tests have opened. */
  closeAll(): Promise<void> {
    return this.#websockets.closeAll();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.subscriptions[Symbol.dispose]();
    this.#stop.abort();
    await this.#websockets[Symbol.asyncDispose]();
    await this.#informers.dispose();
  }
}

/** Two real clusters behind one API, for tests. */

import { installCrds } from "@drover/crds";
import { secondTestEnv, testEnv, uniqueName } from "@drover/env";
import {
  type Client,
  ClusterSet,
  connect,
  Informers,
  type Logger,
  loadConfig,
  Metrics,
  silentLogger,
  systemClock,
} from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { Tenures } from "../../tenures.ts";
import { type Served, serve } from "../access/route.test.support.ts";
import { ClusterWatches, Subscriptions, WatchShares } from "../subscribe/index.ts";
import { loudLogger } from "../subscribe/loud-logger.test.support.ts";
import type { SpecialFeed } from "../subscribe/special.ts";
import { type Subscriber, Websockets } from "../subscribe/websockets.test.support.ts";
import { send } from "../types/testing.test.support.ts";
import type { CacheShares } from "./cache-shares.ts";
import {
  CachedSource,
  Clusters,
  ClusterV1,
  cacheShares,
  listOfClusters,
  Members,
  searchOfClusters,
  watchOfClusters,
} from "./index.ts";

/** An answer of several clusters. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly warnings: string;
}

/** Counts, of which nothing is told. */
const nothing: SpecialFeed = () => ({
  accessChanged: () => undefined,
  [Symbol.dispose]: () => undefined,
});

/** The server's own cluster, and two that it manages: one that answers, and one that is away. */
export class TwoClusters implements AsyncDisposable {
  readonly own: Client;
  readonly other: Client;
  /** Their names. */
  readonly managed: string = uniqueName("c");
  readonly away: string = uniqueName("c");
  /** Lines at error level of subscriptions. */
  readonly loud: readonly string[];
  readonly metrics: Metrics = new Metrics({ process: false });
  readonly #caches: CacheShares;
  readonly #log: Logger;
  readonly #stop = new AbortController();
  readonly #informers: Informers;
  readonly #set = new ClusterSet({ name: "test", managedFields: "cold" });
  readonly #cluster: ClusterV1;
  readonly #served: AsyncDisposable[] = [];
  readonly #shares = new WatchShares({ log: silentLogger });
  #websockets: Websockets | undefined;
  #list: Served | undefined;
  #search: Served | undefined;

  private constructor(own: Client, other: Client) {
    const { log, loud } = loudLogger();
    this.#log = log;
    this.loud = loud;
    this.own = own;
    this.other = other;
    this.#informers = new Informers(own, { managedFields: "cold" });
    const parts = { clock: systemClock, log: silentLogger };
    this.#caches = cacheShares({ ...parts, metrics: this.metrics });
    const informers = this.#informers;
    this.#cluster = new ClusterV1({
      ...{
        ...parts,
        client: own,
        informers,
        cluster: "",
        errorMapping: undefined,
        caches: this.#caches,
      },
    });
  }

  static async start(): Promise<TwoClusters> {
    const clients = await Promise.all(
      [await testEnv(), await secondTestEnv()].map(async ({ kubeconfigPath: kubeconfig }) =>
        connect(await loadConfig({ kubeconfig })),
      ),
    );
    const [own, other] = clients;
    if (own === undefined || other === undefined) throw new Error("there are two");
    const two = new TwoClusters(own, other);
    await two.#start();
    return two;
  }

  /** Asks as somebody in no group but that of whoever is logged in; as an administrator unless told. */
  async ask(path: string, username?: string): Promise<Answer> {
    const groups = ["system:authenticated", ...(username === undefined ? ["system:masters"] : [])];
    const caller = { username: username ?? "admin", groups };
    const served = path.startsWith("search") ? this.#search : this.#list;
    if (served === undefined) throw new Error("it was started");
    const asker = { caller, access: this.#cluster.access.of(caller) };
    const { status, body, headers } = await served.ask(`/v1/${path}`, asker);
    return { status, body, warnings: headers.get("warning") ?? "" };
  }

  /** Opens a websocket for somebody in no group but that of whoever is logged in; for an administrator unless told. */
  async subscriber(username?: string, query = ""): Promise<Subscriber> {
    if (this.#websockets === undefined) throw new Error("it was started");
    return await this.#websockets.subscriber(username, {}, query);
  }

  /** Closes what was opened. */
  async closeAll(): Promise<void> {
    await this.#websockets?.closeAll();
  }

  /** The managed cluster goes; resolves when nothing of it is left. */
  leave(): Promise<void> {
    return this.#set.disengage(this.managed);
  }

  /** It comes (back). */
  async join(): Promise<void> {
    const { kubeconfigPath: kubeconfig } = await secondTestEnv();
    await this.#set.engage(this.managed, await loadConfig({ kubeconfig }));
  }

  async #start(): Promise<void> {
    const { signal } = this.#stop;
    const { kubeconfigPath: kubeconfig } = await secondTestEnv();
    const config = await loadConfig({ kubeconfig });
    this.#set
      .engage(this.away, { ...config, server: "https://127.0.0.1:1" })
      .catch(() => undefined);
    const { clusters, watches, start } = this.#parts();
    start(signal);
    void this.#cluster.start(signal);
    this.#cluster.takeStock();
    const list = listOfClusters(clusters);
    this.#list = await serve((exchange, { access, base, rest }) => {
      const [, , type = ""] = exchange.path.split("/");
      const { signal: gone } = exchange;
      const place = { type, resourceType: type, namespace: rest[0] };
      return list({ exchange, access, base, signal: gone, ...place });
    });
    this.#search = await serve(searchOfClusters(clusters));
    this.#served.push(this.#list, this.#search, await this.#subscriptions(clusters, watches));
    await Promise.all([
      installCrds(this.own, { log: silentLogger, signal }),
      this.#cluster.types.ready(signal),
      this.#cluster.access.ready(signal),
      this.join(),
    ]);
    await eventually(() => this.#cluster.types.find("management.cattle.io.cluster"), {
      within: 30_000,
    });
    for (const name of [this.managed, this.away]) {
      await send(this.own, "POST", "/apis/management.cattle.io/v3/clusters", {
        ...{ apiVersion: "management.cattle.io/v3", kind: "Cluster", metadata: { name }, spec: {} },
      });
    }
  }

  async #subscriptions(clusters: Clusters, watches: ClusterWatches): Promise<AsyncDisposable> {
    const parts = { clock: systemClock, log: this.#log };
    const subscriptions = new Subscriptions({
      ...{ ...parts, watches, shares: this.#shares, access: this.#cluster.access },
      ...{ specials: { count: nothing }, version: "v0" },
      tenures: new Tenures({ ...parts, standingOf: () => "counts" }),
      several: watchOfClusters({ clusters, clock: systemClock }),
    });
    const websockets = new Websockets(subscriptions, this.#log);
    await websockets.listen();
    this.#websockets = websockets;
    return {
      async [Symbol.asyncDispose]() {
        subscriptions[Symbol.dispose]();
        await websockets[Symbol.asyncDispose]();
      },
    };
  }

  #parts(): {
    readonly clusters: Clusters;
    readonly watches: ClusterWatches;
    readonly start: (signal: AbortSignal) => void;
  } {
    const parts = { clock: systemClock, log: this.#log };
    const shares = this.#shares;
    const members = new Members({
      ...parts,
      shares,
      managed: this.#set,
      errorMapping: undefined,
      caches: this.#caches,
    });
    const { types, collections, items } = this.#cluster;
    const watches = new ClusterWatches({ ...parts, types, collections, items }, shares);
    const own = new CachedSource(this.#cluster, { ...parts, watches });
    const clusters = new Clusters({ ...parts, own, members, types, collections });
    return { clusters, watches, start: (signal) => members.start(signal) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const served of this.#served) await served[Symbol.asyncDispose]();
    this.#stop.abort();
    for (const name of [this.managed, this.away]) {
      await send(this.own, "DELETE", `/apis/management.cattle.io/v3/clusters/${name}`);
    }
    await this.#set[Symbol.asyncDispose]();
    await this.#informers.dispose();
    for (const client of [this.own, this.other]) await client[Symbol.asyncDispose]();
  }
}

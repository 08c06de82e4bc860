/** Collections of a real API server, for tests. */

import { type ControlPlane, testEnv } from "@drover/env";
import {
  type Client,
  type ClusterConfig,
  connect,
  type InformerReport,
  Informers,
  loadConfig,
  Metrics,
  silentLogger,
  systemClock,
} from "kopf-ts";
import { eventually } from "kopf-ts/testing";
import { LiveTypes } from "../types/index.ts";
import type { ResourceType } from "../types/resource-type.ts";
import { CacheBudget, type CollectionsOptions, TypeCollections } from "./index.ts";

/** How long tests wait for a real server. */
export const within = { within: 30_000 };

/** With the bytes that caches may have together, or what others have as well. */
export interface WorldOptions extends CollectionsOptions {
  readonly memory?: number | undefined;
  readonly budget?: CacheBudget | undefined;
}

/** Collections of a cluster, and what they stand on. */
export class World implements AsyncDisposable {
  readonly informers: Informers;
  readonly metrics: Metrics = new Metrics({ process: false });
  readonly collections: TypeCollections;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly #client: Client | undefined;

  /** `client` belongs to it. */
  constructor(
    types: LiveTypes,
    client: Client,
    { memory, budget: shared, ...options }: WorldOptions,
    owns: boolean,
  ) {
    const parts = { clock: systemClock, log: silentLogger };
    this.#client = owns ? client : undefined;
    this.informers = new Informers(client, { managedFields: "cold" });
    const { informers, metrics } = this;
    const budget = shared ?? new CacheBudget({ ...parts, metrics }, memory);
    this.collections = new TypeCollections(
      { ...parts, informers, types, metrics, budget },
      options,
    );
    this.#running = this.collections.start(this.#stop.signal);
  }

  /** What the informers of a type hold. */
  reportOf(type: ResourceType): readonly InformerReport[] {
    return this.informers.report().filter(({ kind }) => kind.plural === type.kind.plural);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.informers.dispose();
    await this.#client?.[Symbol.asyncDispose]();
  }
}

/** A cluster and its types. */
export class TestCluster implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly config: ClusterConfig;
  readonly client: Client;
  readonly types: LiveTypes;
  readonly #informers: Informers;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(plane: ControlPlane, config: ClusterConfig) {
    this.plane = plane;
    this.config = config;
    this.client = connect(config);
    this.#informers = new Informers(this.client);
    const parts = { clock: systemClock, log: silentLogger, informers: this.#informers };
    this.types = new LiveTypes({ client: this.client, ...parts });
  }

  /** Resolves once the columns of built-in kinds are known: they come a little later than the types, and make these anew. */
  static async start(): Promise<TestCluster> {
    const plane = await testEnv();
    const config = await loadConfig({ kubeconfig: plane.kubeconfigPath });
    const cluster = new TestCluster(plane, config);
    cluster.#running = cluster.types.start(cluster.#stop.signal);
    await cluster.types.ready(cluster.#stop.signal);
    for (const id of ["configmap", "secret", "namespace", "componentstatus"]) {
      await eventually(() => cluster.type(id).columns.length > 0, within);
    }
    return cluster;
  }

  type(id: string): ResourceType {
    const found = this.types.find(id);
    if (found === undefined) throw new Error(`no type ${id}`);
    return found;
  }

  /** With a client of its own, which goes with it, or that of the cluster. */
  world(options: WorldOptions = {}, client?: Client): World {
    const owns = client !== undefined;
    return new World(this.types, client ?? this.client, { look: 20, ...options }, owns);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#informers.dispose();
    await this.client[Symbol.asyncDispose]();
  }
}

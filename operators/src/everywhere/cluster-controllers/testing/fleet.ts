/** A replica with its fleet, for tests: the concern on the hub, a set of clusters, and what happens to both. */

import { Cluster } from "@drover/crds";
import { parseFeatures } from "@drover/platform";
import {
  type AnyController,
  type Client,
  ClusterSet,
  type Controller,
  connect,
  done,
  EventRecorder,
  Informers,
  loadConfig,
  Metrics,
} from "kopf-ts";
import { ConfigMap } from "kopf-ts/kinds";
import { type FakeClock, fakeClock } from "kopf-ts/testing";
import { cluster as hubPlane, RunningConcern } from "../../../testing/concern.ts";
import { usualPace } from "../checks.ts";
import { Fleet, type FleetOptions } from "../fleet.ts";
import { clusterControllers } from "../index.ts";

/** Members of a group as a test has them. */
export class SomeMembers {
  readonly id: string;
  ids: readonly string[];
  isMember = true;
  readonly #listeners = new Set<(ids: readonly string[]) => void>();

  constructor(id: string, ids: readonly string[] = [id]) {
    this.id = id;
    this.ids = ids;
  }

  readonly onChange = (listener: (ids: readonly string[]) => void): Disposable => {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  };

  become(ids: readonly string[]): void {
    this.ids = ids;
    for (const listener of this.#listeners) listener(ids);
  }
}

/** Options of a replica. */
export interface ReplicaOptions {
  readonly members?: FleetOptions["members"];
  readonly controllers?: readonly AnyController[];
}

/** A concern, its fleet and its set; everything ends with `await using`. */
export class Replica implements AsyncDisposable {
  readonly concern: RunningConcern;
  readonly clock: FakeClock;
  readonly fleet: Fleet;
  readonly set: ClusterSet;
  readonly metrics: Metrics;
  readonly #hub: Client;
  readonly #informers: Informers;

  private constructor(
    parts: { concern: RunningConcern; clock: FakeClock; hub: Client },
    { members, controllers = [] }: ReplicaOptions,
  ) {
    const { hub } = parts;
    this.concern = parts.concern;
    this.clock = parts.clock;
    this.#hub = hub;
    const metrics = new Metrics({ process: false });
    this.metrics = metrics;
    this.fleet = new Fleet({ hub, metrics, ...(members && { members }) });
    this.#informers = new Informers(hub);
    const events = new EventRecorder(hub, { reportingController: "test" });
    this.set = new ClusterSet({
      name: "drover",
      controllers,
      hub: { client: hub, informers: this.#informers, events },
      beforeWrite: this.fleet.beforeWrite,
      backoff: { min: 50, max: 500 },
    });
  }

  static async start(options: ReplicaOptions = {}): Promise<Replica> {
    const clock = fakeClock("2026-01-01T00:00:00Z");
    const concern = await RunningConcern.open({ clock });
    const { kubeconfigPath } = await hubPlane();
    const hub = connect(await loadConfig({ kubeconfig: kubeconfigPath }));
    const replica = new Replica({ concern, clock, hub }, options);
    replica.fleet.use(replica.set);
    const { fleet } = replica;
    const pace = { ...usualPace, timeout: 500 };
    await concern.run(clusterControllers({ fleet, env: {}, features: parseFeatures(""), pace }));
    return replica;
  }

  /** The Cluster as it is now. */
  async find(cluster: Cluster): Promise<Cluster | undefined> {
    return this.concern.find(Cluster, cluster);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.concern[Symbol.asyncDispose]();
    await this.fleet[Symbol.asyncDispose]();
    await this.#informers.dispose();
    await this.#hub[Symbol.asyncDispose]();
  }
}

/** A controller that writes on each ConfigMap with the label under which cluster it saw it. */
export function signing(label: string): Controller<ConfigMap> {
  return {
    name: "signing",
    watches: ConfigMap,
    select: { labelSelector: label },
    reconcile: async (object, { client, cluster }) => {
      if (object.data?.signed === cluster) return done;
      await client.patch(object, { merge: { data: { signed: cluster } } });
      return done;
    },
  };
}

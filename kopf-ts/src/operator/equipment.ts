import { EventRecorder } from "../apply/index.ts";
import type { Clock, Logger } from "../base/index.ts";
import { type Background, Informers } from "../cache/index.ts";
import { ControllerRunner } from "../control/index.ts";
import { type Client, type ClusterConfig, connect, intercept } from "../kube/index.ts";
import type { Metrics } from "../observe/index.ts";
import type { Turns } from "../watch/index.ts";
import { type Cluster, type ClusterAddress, hubSource } from "./cluster.ts";
import { Crew } from "./crew.ts";
import type { Equipped } from "./engagement.ts";
import type { AnyController } from "./options.ts";

/** The hub of a set, as far as the set needs it. */
export type HubParts = Pick<Cluster, "client" | "informers" | "events">;

/** What every cluster of a set is equipped with. */
export interface EquipmentOptions {
  readonly name: string;
  readonly controllers: readonly AnyController[];
  readonly hub?: HubParts;
  readonly connect?: (name: string, config: ClusterConfig) => Client;
  readonly beforeWrite?: (cluster: string) => void;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly drainTimeout: number;
  readonly fieldManagerPrefix: string;
  /** One of each for all clusters, which share the event loop. */
  readonly background: Background;
  readonly turns: Turns;
  readonly managedFields?: "drop" | "cold";
}

/** Milliseconds that the last events of a cluster get: it may be away for good. */
const lastEvents = 2000;

/** Makes what a cluster needs, and takes it apart. */
export class Equipment {
  readonly #options: EquipmentOptions;
  /** Which API server each cluster's requests are counted under. */
  readonly #hosts = new Map<string, string>();
  /** Names under which the hub is engaged. */
  readonly #hubs = new Set<string>();

  constructor(options: EquipmentOptions) {
    this.#options = options;
  }

  get hub(): HubParts | undefined {
    return this.#options.hub;
  }

  /** Nothing is asked of the cluster yet. */
  equip(name: string, address: ClusterAddress, signal: AbortSignal): Equipped {
    return address === hubSource
      ? this.#equipHub(name, signal)
      : this.#equipCluster(name, address, signal);
  }

  /** None of it is the cluster's to dispose of. */
  #equipHub(name: string, signal: AbortSignal): Equipped {
    const { hub, logger } = this.#options;
    if (hub === undefined) throw new TypeError("this cluster set has no hub");
    this.#hubs.add(name);
    const { client, informers, events } = hub;
    const cluster: Cluster = { name, client, informers, events, signal };
    return {
      cluster,
      crew: this.#crew(cluster, logger.child({ cluster: name })),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }

  #equipCluster(name: string, config: ClusterConfig, signal: AbortSignal): Equipped {
    const client = this.#connect(name, config);
    const { clock, logger, metrics, background, turns } = this.#options;
    const log = logger.child({ cluster: name });
    const shared = { clock, logger: log, metrics };
    const { managedFields } = this.#options;
    const informers = new Informers(client, {
      ...{ ...shared, background, turns, managedFields, cluster: name },
    });
    const events = new EventRecorder(client, {
      ...shared,
      reportingController: this.#options.name,
      limits: { flush: lastEvents },
    });
    const cluster: Cluster = { name, client, informers, events, signal };
    return {
      cluster,
      crew: this.#crew(cluster, log),
      [Symbol.asyncDispose]: async () => {
        await events.flush();
        await informers.dispose();
        await client[Symbol.asyncDispose]();
      },
    };
  }

  /** Drops the metrics of a cluster that is gone; those of its API server only when no other cluster has the same, and nothing of the hub. */
  forget(cluster: string): void {
    if (this.#hubs.delete(cluster)) return;
    const host = this.#hosts.get(cluster);
    this.#hosts.delete(cluster);
    const isShared = host === undefined || [...this.#hosts.values()].includes(host);
    this.#options.metrics.forget(isShared ? { cluster } : { cluster, host });
  }

  #connect(name: string, config: ClusterConfig): Client {
    const { clock, logger, metrics } = this.#options;
    if (this.#options.connect !== undefined) return this.#options.connect(name, config);
    const host = hostOf(config);
    this.#hosts.set(name, host);
    return connect(config, {
      clock,
      logger: logger.child({ cluster: name }),
      metrics: metrics.client(host),
    });
  }

  #crew({ name, client, informers, events }: Cluster, log: Logger): Crew {
    const { clock, metrics, drainTimeout, beforeWrite, controllers } = this.#options;
    const fence = (): void => beforeWrite?.(name);
    const hooks = { beforeWrite: fence, beforeSend: fence }; // at once, too: what is refused need not wait for a connection
    const fenced = beforeWrite === undefined ? client : intercept(client, hooks);
    const { fieldManagerPrefix, hub } = this.#options;
    const shared = { informers, events, clock, logger: log, metrics, cluster: name };
    const deps = {
      ...shared,
      client: fenced,
      fence,
      fieldManagerPrefix,
      ...(hub !== undefined && { hub }),
    };
    const members = controllers.map((controller) => ({
      name: controller.name,
      runner: new ControllerRunner(controller, deps),
    }));
    return new Crew(members, { clock, log, drainTimeout });
  }
}

function hostOf({ server }: ClusterConfig): string {
  return URL.canParse(server) ? new URL(server).host : "";
}

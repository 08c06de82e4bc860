import {
  type BackoffOptions,
  type Clock,
  type Logger,
  silentLogger,
  systemClock,
} from "../base/index.ts";
import { Background } from "../cache/index.ts";
import { checkHub } from "../control/index.ts";
import type { Client, ClusterConfig } from "../kube/index.ts";
import { Metrics } from "../observe/index.ts";
import { defaultTiming, Turns } from "../watch/index.ts";
import { type Cluster, type ClusterSource, type ClusterState, hubSource } from "./cluster.ts";
import { Engagement } from "./engagement.ts";
import { Equipment, type HubParts } from "./equipment.ts";
import type { AnyController } from "./options.ts";

/** Options of ClusterSet. */
export interface ClusterSetOptions {
  /** Names the operator in the clusters' Events. */
  readonly name: string;
  /** Each runs once per cluster, with caches of its own. */
  readonly controllers?: readonly AnyController[];
  /** The cluster that manages the others, for controllers that declare `hub`. Whoever made its parts disposes them, after the set. */
  readonly hub?: HubParts;
  /** Makes the client of a cluster; `connect` unless told. The set disposes it. */
  readonly connect?: (name: string, config: ClusterConfig) => Client;
  /**
   * Called before each write that a cluster's controller makes there or in the hub; what it throws stops the write. Here it may be asked who owns
   * the cluster.
   */
  readonly beforeWrite?: (cluster: string) => void;
  /** Comes before each controller's name in its field manager; the operator's name and a hyphen unless told. */
  readonly fieldManagerPrefix?: string;
  /** What the clusters' informers do with managedFields when their users do not say; dropped unless told. */
  readonly managedFields?: "drop" | "cold";
  readonly metrics?: Metrics;
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** Waits between attempts at a cluster that fails; 1 s doubling to 60 s unless told. */
  readonly backoff?: BackoffOptions;
  /**
   * Milliseconds that a ready cluster may be silent before its source, when that is a function, is asked again; 30,000 unless told: a restart
   * of an API server changes nothing. Where credentials are refused it is asked at once.
   */
  readonly unreachableAfter?: number;
  /** Milliseconds that reconciliations of a cluster get to end when it is disengaged; 10,000 unless told. */
  readonly drainTimeout?: number;
}

/** Told when the state of a cluster changes; undefined: it is gone. */
export type ClusterListener = (name: string, state: ClusterState | undefined) => void;

/** An engagement, and what it was begun with. */
interface Member {
  readonly source: ClusterSource;
  readonly engagement: Engagement;
}

/**
 * Clusters that come and go, each with a client, caches and controllers of its own. Guarantees: a cluster that fails, is away or lacks a kind
 * disturbs no other, and is tried again with growing waits; after `disengage` no socket, timer or byte of it is left, and its metrics are
 * forgotten; no name is engaged twice at once.
 */
export class ClusterSet implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #backoff: BackoffOptions;
  readonly #unreachableAfter: number;
  readonly #equipment: Equipment;
  readonly #members = new Map<string, Member>();
  /** Clusters that are being disengaged. */
  readonly #ending = new Map<string, Promise<void>>();
  readonly #listeners = new Set<ClusterListener>();
  #disposed = false;

  /** Throws a TypeError when a controller declares objects of a hub that is not given. */
  constructor(options: ClusterSetOptions) {
    const { clock = systemClock, logger = silentLogger, controllers = [] } = options;
    for (const controller of controllers) checkHub(controller, options.hub);
    this.#clock = clock;
    this.#log = logger;
    this.#backoff = options.backoff ?? { min: 1000, max: 60_000 };
    this.#unreachableAfter = options.unreachableAfter ?? 30_000;
    this.#equipment = new Equipment({
      ...options,
      clock,
      logger,
      controllers,
      drainTimeout: options.drainTimeout ?? 10_000,
      fieldManagerPrefix: options.fieldManagerPrefix ?? `${options.name}-`,
      metrics: options.metrics ?? new Metrics({ process: false }),
      background: new Background(logger),
      turns: new Turns(clock, defaultTiming.slice),
    });
  }

  /**
   * Engages a cluster and resolves when its controllers run, however long that takes; rejects only when it is disengaged before. The same source
   * again changes nothing; another one replaces the cluster once the former is gone. Rejects at once for `hubSource` in a set without a hub.
   */
  engage(name: string, source: ClusterSource): Promise<Cluster> {
    if (this.#disposed) return Promise.reject(new Error("the cluster set was disposed"));
    if (source === hubSource && this.#equipment.hub === undefined) {
      return Promise.reject(new TypeError("this cluster set has no hub: give it `hub`"));
    }
    const known = this.#members.get(name);
    if (known?.source === source) return known.engagement.ready;
    const former = known === undefined ? this.#ending.get(name) : this.#end(name, known);
    const engagement = this.#engagementOf(name, source);
    this.#members.set(name, { source, engagement });
    engagement.start(former);
    this.#tell(name, engagement.state);
    return engagement.ready;
  }

  /** Drains the cluster's controllers and resolves when nothing of it is left; at once for a name that is not engaged. */
  async disengage(name: string): Promise<void> {
    const member = this.#members.get(name);
    await (member === undefined ? this.#ending.get(name) : this.#end(name, member));
  }

  /** The cluster, as soon as there is a client for it; its caches may not be synced. */
  get(name: string): Cluster | undefined {
    return this.#members.get(name)?.engagement.cluster;
  }

  state(name: string): ClusterState | undefined {
    const member = this.#members.get(name);
    if (member !== undefined) return member.engagement.state;
    return this.#ending.has(name) ? { phase: "disengaging" } : undefined;
  }

  /** The clusters that are engaged or being so, in the order they were. */
  names(): readonly string[] {
    return [...this.#members.keys()];
  }

  /** Calls the listener at every change of state until the result is disposed. */
  onChange(listener: ClusterListener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  /** Disengages every cluster, for good. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    for (const [name, member] of this.#members) void this.#end(name, member);
    await Promise.all(this.#ending.values());
  }

  #engagementOf(name: string, source: ClusterSource): Engagement {
    const engagement: Engagement = new Engagement({
      clock: this.#clock,
      log: this.#log.child({ cluster: name }),
      backoff: this.#backoff,
      unreachableAfter: this.#unreachableAfter,
      source,
      equip: (address, signal) => this.#equipment.equip(name, address, signal),
      onState: (state) => {
        const current = this.#members.get(name);
        if (current === undefined || current.engagement === engagement) this.#tell(name, state);
      },
    });
    return engagement;
  }

  #end(name: string, { engagement }: Member): Promise<void> {
    this.#members.delete(name);
    const ending = engagement.stop().then(() => {
      this.#equipment.forget(name);
      if (this.#ending.get(name) === ending) this.#ending.delete(name);
      if (!this.#members.has(name) && !this.#ending.has(name)) this.#tell(name, undefined);
    });
    this.#ending.set(name, ending);
    return ending;
  }

  #tell(name: string, state: ClusterState | undefined): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(name, state);
      } catch (error) {
        this.#log.error("a listener to clusters failed", { cluster: name, error });
      }
    }
  }
}

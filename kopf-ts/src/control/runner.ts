/** Runs one controller: informers to queue, queue to workers, workers to the controller's functions. */

import { type Clock, type Logger, silentLogger, systemClock } from "../base/index.ts";
import type { Client, KubeObject } from "../kube/index.ts";
import type { ControllerMetrics } from "../observe/index.ts";
import { priorities, Queue, type QueueMetrics } from "../queue/index.ts";
import type { Place } from "./context.ts";
import type { Controller } from "./controller.ts";
import { Feed } from "./feed.ts";
import { checkNames, checkPlace } from "./names.ts";
import { type EventSink, noHub, type RunEnvironment, type Workplace } from "./run.ts";
import { setsOf } from "./sets.ts";
import { type InformerSource, type Missing, type Side, Sources } from "./sources.ts";
import { Workers } from "./workers.ts";

/** Where a runner reports; Metrics of observe will do. */
export interface ControlMetrics extends QueueMetrics {
  controller(name: string): ControllerMetrics;
}

/** The cluster that manages the one a runner works for. */
export interface HubDeps {
  readonly client: Client;
  /** Shared by all clusters. */
  readonly informers: InformerSource;
  /** Events about objects of the hub. */
  readonly events?: EventSink;
}

/** What a runner works with. */
export interface RunnerDeps {
  readonly client: Client;
  /** The shared informers of the cluster. */
  readonly informers: InformerSource;
  /** For controllers that declare `hub`. It may be the cluster itself: with the same informers. */
  readonly hub?: HubDeps;
  readonly events?: EventSink;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly metrics?: ControlMetrics;
  /**
   * Called right before each attempt of a write is sent, its repetitions too, and throws when this process must not write: `check` of a
   * Leadership. Asked for writes to the hub as well; the clients need not ask it.
   */
  readonly fence?: () => void;
  /** Names the cluster in logs and to the reconciler; empty unless told. */
  readonly cluster?: string;
  /** Comes before the controller's name in its field manager, as in `drover-token-purge`; empty unless told. */
  readonly fieldManagerPrefix?: string;
}

const CONCURRENCY = 10;
/** Milliseconds between two lines about caches that do not come. */
const REMINDER = 10_000;

/** What exists while the controller has informers. */
interface Opened<T extends KubeObject> {
  readonly sources: Sources<T>;
  readonly feed: Feed<T>;
  readonly workers: Workers<T>;
}

/**
 * Runs one controller against one cluster. `warm` fills caches and queue without reconciling anything, so that a standby takes over at once;
 * `start` reconciles until its signal aborts, which cuts runs off; `drain` lets them end. For the guarantees see Controller.
 */
export class ControllerRunner<T extends KubeObject = KubeObject> implements AsyncDisposable {
  readonly controller: Controller<T>;
  readonly #deps: RunnerDeps;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #queue: Queue;
  readonly #metrics: ControllerMetrics | undefined;
  #opened: Opened<T> | undefined;
  #state: "new" | "started" | "closed" = "new";
  #unlisten: () => void = () => undefined;

  /** Throws a TypeError when the API server would not take the controller's finalizer or field manager, and where it declares a hub that is not given. */
  constructor(controller: Controller<T>, deps: RunnerDeps) {
    checkNames(controller, deps.fieldManagerPrefix ?? "", deps.cluster);
    checkPlace(controller, deps);
    const { clock = systemClock, logger = silentLogger, metrics } = deps;
    this.controller = controller;
    this.#deps = deps;
    this.#clock = clock;
    this.#log = logger.child(fieldsOf(controller, deps));
    this.#metrics = metrics?.controller(controller.name);
    this.#queue = new Queue({
      name: controller.name,
      clock,
      ...(controller.backoff !== undefined && { backoff: controller.backoff }),
      ...(metrics !== undefined && { metrics }),
    });
  }

  /** Keys that are due and wait for a worker. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Keys whose time has not come. */
  get delayed(): number {
    return this.#queue.delayed;
  }

  /** Keys in work, with those that wait for the caches to show their writes. */
  get working(): number {
    return this.#queue.working;
  }

  /** Declared kinds whose caches are not synced, and why; nothing before `warm` and `start`. */
  get missing(): readonly Missing[] {
    return this.#opened?.sources.missing ?? [];
  }

  /**
   * Resolves when every declared cache is synced and the queue holds every object, at low priority. A kind that is missing or may not be read
   * is waited for and named in the log. Rejects when the signal aborts, which also gives the informers back unless the controller has started.
   */
  async warm(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { sources, feed } = this.#open();
    if (this.#state === "new") this.#endWith(signal);
    const over = new AbortController();
    void this.#remind(sources, over.signal);
    try {
      await sources.synced(signal);
      await feed.complete;
    } finally {
      over.abort();
    }
  }

  /**
   * Reconciles until the signal aborts, which aborts every run, or until `drain`. Warms first when nobody did. Resolves when the last run has
   * really ended, so a reconciler that ignores its signal holds it up. A runner starts only once.
   */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#state === "started") throw new Error(`${this.controller.name} was started before`);
    if (this.#state === "closed" || signal.aborted) return this.drain();
    this.#state = "started";
    const stop = (): void => this.#stop(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    try {
      await this.warm(signal).catch((thrown: unknown) => {
        if (!this.#closed) throw thrown;
      });
      await this.#work();
    } finally {
      signal.removeEventListener("abort", stop);
      await this.drain();
    }
  }

  /** Takes no more keys, drops those that wait, and resolves when those in work have ended by themselves. Gives the informers back. */
  async drain(): Promise<void> {
    this.#state = "closed";
    const drained = this.#queue.drain();
    this.#opened?.workers.close();
    await drained;
    this.#close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.drain();
  }

  get #closed(): boolean {
    return this.#state === "closed";
  }

  async #work(): Promise<void> {
    const { controller } = this;
    const workers = this.#opened?.workers;
    if (workers === undefined) return;
    // What a standby has collected is old news; what users do from now on comes first.
    this.#queue.rebase(priorities.leaderChange);
    const concurrency = controller.concurrency ?? CONCURRENCY;
    using _counted = this.#metrics?.workers(concurrency);
    await Promise.all(Array.from({ length: concurrency }, () => workers.work()));
  }

  #open(): Opened<T> {
    if (this.#state === "closed") throw new Error(`${this.controller.name} has ended`);
    this.#opened ??= this.#connect();
    return this.#opened;
  }

  #connect(): Opened<T> {
    const { controller } = this;
    const sources = new Sources(controller, this.#deps);
    const { view } = sources.primary;
    const workers = new Workers({
      queue: this.#queue,
      surroundings: { controller, view, deleted: new Set(), finalized: new Map() },
      environment: environmentOf(controller, sources, { ...this.#deps, logger: this.#log }),
      metrics: this.#metrics,
    });
    const place = placeOf(sources, this.#deps);
    return {
      sources,
      workers,
      feed: new Feed(controller, sources, { sink: workers, log: this.#log, place }),
    };
  }

  #stop(reason: unknown): void {
    this.#opened?.workers.stop(reason);
    void this.drain();
  }

  /** Who only warms gives everything back when `signal` aborts; once started, the signal of `start` decides. */
  #endWith(signal: AbortSignal): void {
    const onAbort = (): void => {
      if (this.#state === "new") void this.drain();
    };
    this.#unlisten();
    this.#unlisten = () => signal.removeEventListener("abort", onAbort);
    signal.addEventListener("abort", onAbort, { once: true });
  }

  #close(): void {
    this.#unlisten();
    this.#opened?.feed[Symbol.dispose]();
    this.#opened?.sources.release();
    this.#opened = undefined;
  }

  /** Says what is waited for, for as long as it is. */
  async #remind(sources: Sources<T>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#clock.sleep(REMINDER, signal).catch(() => undefined);
      if (!signal.aborted) this.#log.warn("waiting for caches", { missing: sources.missing });
    }
  }
}

function fieldsOf(
  { name, watches }: Pick<Controller, "name" | "watches">,
  { cluster = "" }: RunnerDeps,
): Record<string, string> {
  const fields = { controller: name, kind: watches.kind };
  return cluster === "" ? fields : { ...fields, cluster };
}

/** Where mappings take place. */
function placeOf(
  sources: Pick<Sources, "hub">,
  { cluster = "", hub }: Pick<RunnerDeps, "cluster" | "hub">,
): Place {
  const none = (): never => {
    throw noHub();
  };
  return { cluster, hub: hub === undefined ? none : sources.hub };
}

/** What all runs of a controller share; `logger` has the controller's fields. */
export function environmentOf<T extends KubeObject>(
  controller: Controller<T>,
  sources: Sources<T>,
  deps: EnvironmentDeps,
): RunEnvironment {
  const { client, hub, clock = systemClock, logger = silentLogger, cluster = "", fence } = deps;
  const workplace = (side: Side, its: Client): Workplace => ({
    client: its,
    cache: side === "hub" ? sources.hub : sources.cache,
    shown: sources.shown(side),
    server: sources.server(side),
    sets: setsOf(controller, side, cluster),
  });
  const here = workplace("cluster", client);
  const there = hub === undefined ? undefined : workplace("hub", hub.client);
  return {
    kind: controller.watches,
    here,
    hub: there,
    home: controller.hub === undefined ? here : (there ?? here),
    clock,
    log: logger,
    cluster,
    fieldManager: `${deps.fieldManagerPrefix ?? ""}${controller.name}`,
    events: controller.hub === undefined ? deps.events : hub?.events,
    fence,
  };
}

/** What a run needs of a runner's dependencies. */
export type EnvironmentDeps = Omit<RunnerDeps, "informers" | "hub"> & {
  readonly hub?: Omit<HubDeps, "informers"> | undefined;
};

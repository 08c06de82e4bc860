import {
  aborted,
  type BackoffOptions,
  type Clock,
  exponential,
  fullJitter,
  type Logger,
  messageOf,
} from "../base/index.ts";
import type { InformerReport } from "../cache/index.ts";
import { missingCaches } from "./caches.ts";
import type { Cluster, ClusterState } from "./cluster.ts";
import type { Crew } from "./crew.ts";
import { NewKinds } from "./new-kinds.ts";
import { untilReachable } from "./reach.ts";
import { LinkedAbort } from "./within.ts";

/** A connected cluster with its controllers; disposing it leaves nothing. */
export interface Equipped extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly crew: Crew;
}

/** What an engagement works with. */
export interface EngagementOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly backoff: BackoffOptions;
  /** Connects to the cluster and makes its controllers, under a signal that ends this attempt. */
  readonly equip: (signal: AbortSignal) => Promise<Equipped>;
  readonly onState: (state: ClusterState) => void;
}

/** How often to look which caches are missing; milliseconds. */
const look = 500;

/** One cluster from being engaged to being disengaged, over as many attempts as it takes. */
export class Engagement {
  readonly #options: EngagementOptions;
  readonly #stop = new AbortController();
  readonly #ready = Promise.withResolvers<Cluster>();
  #cluster: Cluster | undefined;
  #state: ClusterState = { phase: "engaging" };
  #running: Promise<void> | undefined;

  constructor(options: EngagementOptions) {
    this.#options = options;
    this.#ready.promise.catch(() => undefined); // not everybody waits
  }

  get cluster(): Cluster | undefined {
    return this.#cluster;
  }

  get state(): ClusterState {
    return this.#state;
  }

  /** Resolves when the controllers first run; rejects when the cluster is disengaged before. */
  get ready(): Promise<Cluster> {
    return this.#ready.promise;
  }

  /** Begins once `former`, an engagement of the same name, is gone. */
  start(former: Promise<void> | undefined): void {
    this.#running = this.#run(former);
  }

  /** Drains the controllers and leaves nothing behind. */
  async stop(): Promise<void> {
    if (!this.#stop.signal.aborted) {
      this.#tell({ phase: "disengaging" });
      this.#stop.abort(new DOMException("the cluster was disengaged", "AbortError"));
      this.#ready.reject(this.#stop.signal.reason);
    }
    await this.#running;
  }

  async #run(former: Promise<void> | undefined): Promise<void> {
    await former;
    const { clock, log, backoff } = this.#options;
    const { signal } = this.#stop;
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        await this.#attempt(() => {
          failures = 0;
        });
      } catch (error) {
        if (signal.aborted) break;
        log.warn("cannot engage the cluster, trying again", { error });
        this.#tell({ phase: "engaging", reason: messageOf(error) });
      }
      const delay = fullJitter(exponential(failures, backoff)) / 2;
      await clock.sleep(delay, signal).catch(() => undefined);
    }
  }

  /** Engages the cluster and keeps it until it is disengaged; rejects when something fails. */
  async #attempt(onReady: () => void): Promise<void> {
    using link = new LinkedAbort(this.#stop.signal);
    try {
      await using equipped = await this.#options.equip(link.signal);
      this.#cluster = equipped.cluster;
      await this.#reach(equipped.cluster);
      const { clock, log: logger } = this.#options;
      await using _kinds = new NewKinds({ ...equipped.cluster, clock, logger }).start();
      try {
        const failed = this.#work(equipped, onReady);
        await Promise.race([aborted(this.#stop.signal), failed]);
      } finally {
        await equipped.crew.drain();
      }
    } finally {
      this.#cluster = undefined;
      link.abort(new DOMException("the cluster is no longer engaged", "AbortError"));
    }
  }

  async #reach({ client, signal }: Cluster): Promise<void> {
    const { clock, log } = this.#options;
    const onFailure = (reason: string | undefined): void => {
      if (reason !== undefined) this.#tell({ phase: "engaging", reason });
    };
    await untilReachable(client, signal, { clock, log, onFailure });
  }

  /** Each controller starts as soon as its own caches are there: a kind that is missing stops nobody else. */
  async #work({ cluster, crew }: Equipped, onReady: () => void): Promise<void> {
    const looking = new LinkedAbort(cluster.signal);
    void this.#tellMissing(cluster, looking.signal);
    await crew.workWhenWarm(() => {
      looking.abort();
      onReady();
      this.#tell({ phase: "ready" });
      this.#ready.resolve(cluster);
    });
  }

  async #tellMissing({ informers }: Cluster, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const reason = describeMissing(informers.report());
      if (reason !== "") this.#tell({ phase: "engaging", reason });
      await this.#options.clock.sleep(look, signal).catch(() => undefined);
    }
  }

  #tell(state: ClusterState): void {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    if (this.#state.phase === "disengaging") return;
    this.#state = state;
    this.#options.onState(state);
  }
}

function describeMissing(reports: readonly InformerReport[]): string {
  return [...missingCaches(reports)].map(([name, reason]) => `${name}: ${reason}`).join("; ");
}

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
import type { ClusterConfig } from "../kube/index.ts";
import { missingCaches } from "./caches.ts";
import {
  type Cluster,
  type ClusterAddress,
  type ClusterSource,
  type ClusterState,
  hubSource,
} from "./cluster.ts";
import { Contact } from "./contact.ts";
import type { Crew } from "./crew.ts";
import { NewKinds } from "./new-kinds.ts";
import { probe, untilReachable } from "./reach.ts";
import { LinkedAbort, unlessAborted } from "./within.ts";

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
  readonly source: ClusterSource;
  /** Milliseconds of silence after which a source that is a function is asked again. */
  readonly unreachableAfter: number;
  /** Makes the cluster's client and controllers, under a signal that ends this attempt. */
  readonly equip: (address: ClusterAddress, signal: AbortSignal) => Equipped;
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
  /** Why the last attempt failed. */
  #failure: string | undefined;
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
    const { clock, backoff } = this.#options;
    const { signal } = this.#stop;
    let next: ClusterAddress | undefined;
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        next = await this.#attempt(next, () => {
          failures = 0;
        });
        continue;
      } catch (error) {
        next = undefined;
        if (!signal.aborted) this.#tellFailure(error);
      }
      const delay = fullJitter(exponential(failures, backoff)) / 2;
      await clock.sleep(delay, signal).catch(() => undefined);
    }
  }

  /** The same reason is worth one warning. */
  #tellFailure(error: unknown): void {
    const reason = messageOf(error);
    const { log } = this.#options;
    const level = reason === this.#failure ? "debug" : "warn";
    log[level]("cannot engage the cluster, trying again", { error });
    this.#failure = reason;
    this.#tell({ phase: "engaging", reason });
  }

  /**
   * Engages the cluster and keeps it until it is disengaged (resolves with undefined) or is to be engaged with another config (resolves with
   * that). Rejects when something fails.
   */
  async #attempt(
    given: ClusterAddress | undefined,
    onReady: () => void,
  ): Promise<ClusterAddress | undefined> {
    using link = new LinkedAbort(this.#stop.signal);
    try {
      const config = given ?? (await this.#ask(link.signal));
      await using equipped = this.#options.equip(config, link.signal);
      this.#cluster = equipped.cluster;
      await this.#reach(equipped.cluster);
      return await this.#keep(equipped, config, onReady);
    } finally {
      this.#cluster = undefined;
      link.abort(new DOMException("the cluster is no longer engaged", "AbortError"));
    }
  }

  async #ask(signal: AbortSignal): Promise<ClusterAddress> {
    const { source } = this.#options;
    if (typeof source !== "function") return source;
    return askFor(source, signal);
  }

  /** A config that is fixed can only be waited for; a source may know better after each failure. */
  async #reach({ client, signal }: Cluster): Promise<void> {
    const { clock, log, source } = this.#options;
    if (typeof source === "function") {
      const failure = await probe(client, signal);
      if (failure !== undefined) throw failure;
      return;
    }
    const onFailure = (reason: string | undefined): void => {
      if (reason !== undefined) this.#tell({ phase: "engaging", reason });
    };
    await untilReachable(client, signal, { clock, log, onFailure });
  }

  /** Lets the controllers work; resolves and rejects as `#attempt`. */
  async #keep(
    equipped: Equipped,
    config: ClusterAddress,
    onReady: () => void,
  ): Promise<ClusterAddress | undefined> {
    const { cluster, crew } = equipped;
    const { clock, log: logger } = this.#options;
    await using _kinds = new NewKinds({ ...cluster, clock, logger }).start();
    using following = new LinkedAbort(cluster.signal);
    try {
      const working = this.#work(equipped, onReady);
      const other = this.#contact(cluster, config).other(following.signal);
      const ended = aborted(following.signal).then(() => undefined);
      const next = await Promise.race([ended, other, working.then(() => ended)]);
      if (next !== undefined) this.#tell({ phase: "engaging", reason: "its source has moved" });
      return next;
    } finally {
      following.abort(new DOMException("the cluster is no longer followed", "AbortError"));
      await crew.drain();
    }
  }

  #contact(cluster: Cluster, address: ClusterAddress): Contact {
    const { clock, log, backoff, source, unreachableAfter } = this.#options;
    const config = address === hubSource ? undefined : address;
    return new Contact({
      ...{ cluster, config, clock, log, backoff, unreachableAfter },
      ask: typeof source === "function" ? (signal) => askFor(source, signal) : undefined,
      onLook: (silence) => {
        if (this.#state.phase === "engaging") return; // what is missing says why
        if (silence === undefined) return this.#tell({ phase: "ready" });
        this.#tell({ phase: "unreachable", since: silence.since, reason: silence.reason });
      },
    });
  }

  /** Each controller starts as soon as its own caches are there: a kind that is missing stops nobody else. */
  async #work({ cluster, crew }: Equipped, onReady: () => void): Promise<void> {
    const looking = new LinkedAbort(cluster.signal);
    void this.#tellMissing(cluster, crew, looking.signal);
    await crew.workWhenWarm(() => {
      looking.abort();
      onReady();
      this.#failure = undefined;
      this.#tell({ phase: "ready" });
      this.#ready.resolve(cluster);
    });
  }

  async #tellMissing({ informers }: Cluster, crew: Crew, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const reason = describeMissing(informers.report(), crew);
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

/** The source may ignore its signal: nobody waits for it then. */
function askFor(
  source: Extract<ClusterSource, (...given: never[]) => unknown>,
  signal: AbortSignal,
): Promise<ClusterConfig> {
  const answer = (async () => source(signal))();
  return unlessAborted(answer, signal);
}

function describeMissing(reports: readonly InformerReport[], { missingOfHub }: Crew): string {
  const here = [...missingCaches(reports)].map(([name, reason]) => `${name}: ${reason}`);
  const there = [...missingOfHub].map(([name, reason]) => `${name} of the hub: ${reason}`);
  return [...here, ...there].join("; ");
}

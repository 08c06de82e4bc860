import {
  type Clock,
  type Logger,
  messageOf,
  type RecentWarnings,
  type Slots,
} from "../../base/index.ts";
import type { Client, Kind, KubeObject } from "../../kube/index.ts";
import type { CacheMetrics, WatchMetrics } from "../../observe/index.ts";
import {
  type ListMode,
  type ListModeMemory,
  type Turns,
  Watch,
  type WatchState,
  type WatchTiming,
} from "../../watch/index.ts";
import type { Background } from "../background.ts";
import { Store } from "../store.ts";
import { Audit, type AuditOptions, type AuditReport } from "./audit.ts";
import type { InformerOptions } from "./informer.ts";

/** What all informers of a cluster share. */
export interface SharedParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly background: Background;
  readonly turns: Turns;
  readonly memory: ListModeMemory;
  readonly listMode: ListMode | undefined;
  /** What the watches of the cluster have warned of. */
  readonly warnings: RecentWarnings;
  /** One for each list in progress. */
  readonly lists: Slots;
  /** One for the audit in progress. */
  readonly audits: Slots;
  /** False for none. */
  readonly audit: AuditOptions | false;
  readonly timing: Partial<WatchTiming>;
  readonly freeze: boolean;
  /** Whether changes have to come at once, whatever users of an informer say. */
  readonly isFollowed: () => boolean;
  /** Called after each change of a watch's state. */
  readonly onState: () => void;
}

/** Keeps the bytes of all objects until it is disposed. */
export interface Hold extends Disposable {
  /** Resolves when they are there; also when the informer goes first. */
  readonly ready: Promise<void>;
  /** Whether nobody else holds them: they go with this one. */
  readonly isOnly: boolean;
}

/** What the informer of one resource reports. */
export interface InformerMetrics {
  readonly watch?: WatchMetrics | undefined;
  readonly cache?: CacheMetrics | undefined;
}

/** Wait before a watch begins anew whose consumer threw; milliseconds. */
const AFTER_BUG = 5000;

/** Reasons of a watch whose kind may not be there yet; to those who have no right to it a server does not say which. */
const refusals: ReadonlySet<string> = new Set(["Forbidden", "NotFound"]);

/** One watch and the store that it fills, for all who share them. */
export class SharedInformer<T extends KubeObject = KubeObject> {
  readonly kind: Kind<T>;
  readonly options: InformerOptions;
  readonly store: Store<T>;
  readonly #parts: SharedParts;
  readonly #metrics: InformerMetrics;
  readonly #logger: Logger;
  readonly #stop = new AbortController();
  /** Audits end before the informer when nothing can be read any more. */
  readonly #audits = new AbortController();
  readonly #audit: Audit;
  #watch = new AbortController();
  #watching: Watch | undefined;
  #slot: Disposable | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #observed: Disposable | undefined;
  /** How many shares are out. */
  users = 0;
  /** How many need the bytes of objects. */
  #holds = 0;
  /** How long changes may gather, one entry for each who has a wish. */
  readonly #gathers = new Set<{ readonly time: number }>();
  #gather = 0;

  constructor(
    kind: Kind<T>,
    options: InformerOptions,
    parts: SharedParts,
    metrics: InformerMetrics,
  ) {
    this.kind = kind;
    this.options = options;
    this.#parts = parts;
    this.#metrics = metrics;
    this.#logger = parts.logger;
    const { clock, logger, background, freeze } = parts;
    this.store = new Store(kind, {
      ...options,
      keep: "columns", // until somebody asks for more
      ...{ clock, logger, background, freeze },
      onState: (state) => this.#onState(state),
      onWait: () => this.hurry(),
    });
    this.#audit = new Audit(
      {
        ...parts,
        options,
        store: this.store,
        metrics: metrics.cache,
        slots: parts.audits,
        relist: () => this.relist(),
      },
      parts.audit === false ? {} : parts.audit,
    );
  }

  /** Whether the watch waits for its kind to be served, or for the right to read it. */
  get refused(): boolean {
    const state = this.store.watchState;
    return state.phase === "degraded" && refusals.has(state.reason);
  }

  /** Asks for the bytes of all objects. What lacks them gets them by a new list, while everything else goes on. */
  hold(): Hold {
    this.#holds++;
    if (!this.store.keepsBytes) {
      this.store.keepBytes();
      if (!this.store.hasBytes) void this.relist();
    }
    let held = true;
    const isOnly = (): boolean => held && this.#holds === 1;
    return {
      ready: this.store.complete,
      get isOnly() {
        return isOnly();
      },
      [Symbol.dispose]: () => {
        if (!held) return;
        held = false;
        this.#holds--;
        void Promise.resolve().then(() => this.#dropUnheld()); // not while listeners are told of a change
      },
    };
  }

  /** Changes gather no longer than so many milliseconds until disposed. */
  gatherFor(time: number): Disposable {
    const wish = { time };
    this.#gathers.add(wish);
    this.#settleGather();
    return {
      [Symbol.dispose]: () => {
        this.#gathers.delete(wish);
        this.#settleGather();
      },
    };
  }

  #settleGather(): void {
    const before = this.#gather;
    const [first = 0, ...others] = [...this.#gathers].map(({ time }) => time);
    this.#gather = Math.min(first, ...others);
    if (this.#gather < before) this.hurry();
  }

  /** What has gathered is read now. */
  hurry(): void {
    this.#watching?.hurry();
  }

  #dropUnheld(): void {
    if (this.#holds === 0 && this.store.keepsBytes) this.store.dropBytes();
  }

  /** Aborts when the informer stops. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Lists and watches until `stop`. */
  start(): void {
    const { store } = this;
    this.#observed = this.#metrics.cache?.observe({
      get objects() {
        return store.size;
      },
      get bytes() {
        return store.stats.allocated;
      },
      get age() {
        return store.age;
      },
    });
    const audited = this.#parts.audit !== false && this.options.poll === undefined;
    const audits = audited ? this.#audit.start(this.#audits.signal) : undefined;
    this.#running = Promise.all([this.#run(), audits]);
  }

  /** Compares the cache with the server now. */
  audit(signal: AbortSignal): Promise<AuditReport> {
    return this.#audit.run(AbortSignal.any([signal, this.signal]));
  }

  /** Lists anew what is at least as new as the cache, as after a break of the watch; resolves when that is done or the informer has stopped. */
  relist(): Promise<void> {
    const { listed } = this.store;
    this.#watch.abort();
    return listed;
  }

  /** What the watch was refused may be granted now. */
  retry(): void {
    this.#watching?.retry();
  }

  /** Ends the watch and lets go of everything; resolves when nothing is left. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#audits.abort();
    this.#watch.abort();
    this.store.dispose();
    this.#observed?.[Symbol.dispose]();
    await this.#running;
  }

  /**
   * A watch ends for four reasons: the informer stops, somebody wants a new list, its client was disposed, or its consumer threw, which is a
   * bug that must not end it.
   */
  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      this.#watch = new AbortController();
      try {
        await this.#list(this.#watch.signal);
        if (this.#watch.signal.aborted) continue;
        this.#audits.abort();
        return; // the state says why
      } catch (error) {
        await this.#afterBug(error, signal);
      } finally {
        this.#giveSlot();
      }
    }
  }

  /** Waits, and nobody takes the cache for fresh meanwhile. */
  async #afterBug(error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const message = "the cache failed on what its watch told; it lists anew soon";
    this.#logger.error("a watch ended by an error of its consumer", { error: messageOf(error) });
    this.#metrics.watch?.failed("ConsumerFailed");
    this.store.state({ phase: "degraded", reason: "ConsumerFailed", message }); // gives the slot, too
    await this.#parts.clock.sleep(AFTER_BUG, signal).catch(() => undefined);
  }

  async #list(signal: AbortSignal): Promise<void> {
    this.#slot = await this.#parts.lists.take(signal);
    void this.store.listed.then(() => this.#giveSlot());
    const { client, clock, logger, turns, memory, listMode, warnings, timing } = this.#parts;
    const { namespace, labelSelector, fieldSelector, poll } = this.options;
    const { metadataOnly = false, table = false } = this.options;
    const { watch: metrics } = this.#metrics;
    const watch = new Watch(client, this.kind, this.store, {
      ...{ namespace, labelSelector, fieldSelector, metadataOnly, table, poll },
      ...{ clock, logger, turns, memory, listMode, warnings, timing },
      gather: () => (this.store.isAwaited || this.#parts.isFollowed() ? 0 : this.#gather),
      startFrom: this.store.resourceVersion, // a replica that is behind must not take the cache back in time
      ...(metrics === undefined ? {} : { metrics }),
    });
    this.#watching = watch;
    await watch.start(signal);
  }

  /** Who cannot list lets others. */
  #onState({ phase }: WatchState): void {
    if (phase === "degraded") this.#giveSlot();
    this.#parts.onState();
  }

  #giveSlot(): void {
    this.#slot?.[Symbol.dispose]();
    this.#slot = undefined;
  }
}

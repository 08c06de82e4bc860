import {
  type Clock,
  type Logger,
  messageOf,
  RecentWarnings,
  Slots,
  silentLogger,
  systemClock,
} from "../../base/index.ts";
import { type Client, type Kind, type KubeObject, resourceName } from "../../kube/index.ts";
import type { CacheMetrics, ResourceLabels, WatchMetrics } from "../../observe/index.ts";
import {
  defaultTiming,
  type ListMode,
  ListModeMemory,
  Turns,
  type WatchState,
  type WatchTiming,
} from "../../watch/index.ts";
import { Background } from "../background.ts";
import type { CacheStats } from "../cache.ts";
import type { AuditOptions, AuditReport } from "./audit.ts";
import { type InformerOptions, type InformerShare, Share } from "./informer.ts";
import { SharedInformer, type SharedParts } from "./shared.ts";

/** Options of Informers. */
export interface InformersOptions {
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
  /** Metrics from observe will do. */
  readonly metrics?: InformersMetrics | undefined;
  /** Names the cluster in metrics; empty unless told. */
  readonly cluster?: string | undefined;
  /** Initial lists at once; 4 unless told. */
  readonly lists?: number | undefined;
  /** Shared by the clusters of a process; one of its own unless told. */
  readonly background?: Background | undefined;
  /** Shared by the clusters of a process; one of its own unless told. */
  readonly turns?: Turns | undefined;
  readonly timing?: Partial<WatchTiming> | undefined;
  /** How lists are asked for where nothing is known of the server: `stream` (WatchList) unless told; `pages` come sooner. See the README of watch. */
  readonly listMode?: ListMode | undefined;
  /** How often caches are compared with the server; every ten minutes unless told, never for false. */
  readonly audit?: AuditOptions | false | undefined;
  /** What informers do with managedFields when their users do not say; dropped unless told. */
  readonly managedFields?: "drop" | "cold" | undefined;
  /** Freezes every object, so that a consumer that changes one fails at once. For tests and development. */
  readonly freeze?: boolean | undefined;
}

/** Where informers report. */
export interface InformersMetrics {
  watch(of: ResourceLabels): WatchMetrics;
  cache(of: ResourceLabels): CacheMetrics;
}

/** One informer, for people who want to know what a process watches. */
export interface InformerReport {
  readonly kind: Kind;
  readonly options: InformerOptions;
  readonly users: number;
  readonly synced: boolean;
  readonly state: WatchState;
  readonly stats: CacheStats;
}

/**
 * The informers of one cluster: whoever asks for the same kind in the same form gets a share of the same watch and cache. Guarantees: a watch
 * begins with its first share and ends with its last; no more than a few first lists run at once; after `dispose` no socket, timer or byte
 * is left.
 */
export class Informers implements AsyncDisposable {
  readonly #parts: SharedParts;
  readonly #metrics: InformersMetrics | undefined;
  readonly #cluster: string;
  readonly #managedFields: "drop" | "cold";
  readonly #informers = new Map<string, SharedInformer>();
  /** Informers without users whose watches are ending. */
  readonly #stopping = new Set<Promise<void>>();
  readonly #listeners = new Set<(refused: boolean) => void>();
  #refused = false;
  #followers = 0;
  #disposed = false;

  constructor(client: Client, options: InformersOptions = {}) {
    const { clock = systemClock, logger = silentLogger, timing = {} } = options;
    this.#metrics = options.metrics;
    this.#managedFields = options.managedFields ?? "drop";
    this.#cluster = options.cluster ?? "";
    this.#parts = {
      client,
      clock,
      logger,
      timing,
      background: options.background ?? new Background(logger),
      turns: options.turns ?? new Turns(clock, defaultTiming.slice),
      memory: new ListModeMemory(),
      listMode: options.listMode,
      warnings: new RecentWarnings(clock),
      lists: new Slots(options.lists ?? 4),
      audits: new Slots(1),
      audit: options.audit ?? {},
      freeze: options.freeze ?? false,
      isFollowed: () => this.#followers > 0,
      onState: () => this.#tellRefused(),
    };
  }

  /** A share of the informer of a kind, which begins to list when it is the first. Release it when done. */
  acquire<T extends KubeObject>(kind: Kind<T>, options: InformerOptions = {}): InformerShare<T> {
    if (this.#disposed) throw new Error("the informers were disposed");
    const { gather, ...form } = {
      ...options,
      managedFields: options.managedFields ?? this.#managedFields,
    };
    const shared = this.#find(kind, form) ?? this.#start(kind, form);
    shared.users++;
    return new Share(shared, { ...form, gather }, () => this.#release(shared));
  }

  /** Until disposed changes come at once, of all kinds, whatever `gather` says: for who tells others of one object with what is known of others. */
  follow(): Disposable {
    if (++this.#followers === 1) for (const shared of this.#informers.values()) shared.hurry();
    let follows = true;
    return {
      [Symbol.dispose]: () => {
        if (follows) this.#followers--;
        follows = false;
      },
    };
  }

  /** Every informer there is. */
  report(): readonly InformerReport[] {
    return [...this.#informers.values()].map(({ kind, options, users, store }) => ({
      ...{ kind, options, users },
      synced: store.synced,
      state: store.watchState,
      stats: store.stats,
    }));
  }

  /** Calls the listener with whether the server refuses any watch (no such kind, no right to it), now and whenever that changes. */
  onRefused(listener: (refused: boolean) => void): Disposable {
    this.#listeners.add(listener);
    this.#tellOne(listener, this.#refused);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** These kinds are served now: watches that were refused one of them try again at once. */
  retry(kinds: readonly Kind[]): void {
    const names = new Set(kinds.map(versioned));
    for (const shared of this.#informers.values()) {
      if (names.has(versioned(shared.kind))) shared.retry();
    }
  }

  /** Compares every cache with the server now, one after the other. */
  async audit(signal: AbortSignal): Promise<AuditReport> {
    let compared = 0;
    let healed = 0;
    for (const shared of [...this.#informers.values()]) {
      const report = await shared.audit(signal);
      compared += report.compared;
      healed += report.healed;
    }
    return { compared, healed };
  }

  /** Ends every watch, whoever still has a share. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    for (const shared of this.#informers.values()) this.#stop(shared);
    await Promise.all(this.#stopping);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  /** An informer that keeps more will do as well: managedFields beside objects. */
  #find<T extends KubeObject>(kind: Kind<T>, form: InformerOptions): SharedInformer<T> | undefined {
    for (const managedFields of [form.managedFields, "cold"] as const) {
      const shared = this.#informers.get(nameOf(kind, { ...form, managedFields }));
      // The name holds the kind, so the type of its objects is the one that was asked for.
      if (shared !== undefined) return shared as unknown as SharedInformer<T>;
    }
    return undefined;
  }

  #start<T extends KubeObject>(kind: Kind<T>, form: InformerOptions): SharedInformer<T> {
    const of = { cluster: this.#cluster, resource: resourceName(kind) };
    const metrics = { watch: this.#metrics?.watch(of), cache: this.#metrics?.cache(of) };
    const shared = new SharedInformer(kind, form, this.#parts, metrics);
    this.#informers.set(nameOf(kind, form), shared as unknown as SharedInformer);
    shared.start();
    return shared;
  }

  #release<T extends KubeObject>(shared: SharedInformer<T>): void {
    shared.users--;
    if (shared.users === 0) this.#stop(shared as unknown as SharedInformer);
  }

  #tellRefused(): void {
    const refused = [...this.#informers.values()].some((shared) => shared.refused);
    if (refused === this.#refused) return;
    this.#refused = refused;
    for (const listener of this.#listeners) this.#tellOne(listener, refused);
  }

  /** What a listener throws must not reach the watch. */
  #tellOne(listener: (refused: boolean) => void, refused: boolean): void {
    try {
      listener(refused);
    } catch (error) {
      this.#parts.logger.error("a listener of informers failed", { error: messageOf(error) });
    }
  }

  #stop(shared: SharedInformer): void {
    const name = nameOf(shared.kind, shared.options);
    if (this.#informers.get(name) === shared) this.#informers.delete(name);
    this.#tellRefused();
    const stopped = shared.stop();
    this.#stopping.add(stopped);
    void stopped.finally(() => this.#stopping.delete(stopped));
  }
}

function versioned(kind: Kind): string {
  return `${resourceName(kind)}/${kind.version}`;
}

/** Selectors count as the same when they are written the same. */
function nameOf(kind: Kind, options: InformerOptions): string {
  const { namespace, labelSelector, fieldSelector, managedFields, poll } = options;
  const { metadataOnly = false, table = false } = options;
  return JSON.stringify([
    ...[resourceName(kind), kind.version],
    ...[namespace ?? "", labelSelector ?? "", fieldSelector ?? ""],
    ...[metadataOnly, table, managedFields ?? "drop", poll ?? 0],
  ]);
}

import { type Clock, type Logger, messageOf, type Slots } from "../../base/index.ts";
import { type Client, parseKey } from "../../kube/index.ts";
import type { CacheMetrics } from "../../observe/index.ts";
import { compareResourceVersions, type ScannedObject, type Turns } from "../../watch/index.ts";
import type { Store } from "../store.ts";
import type { InformerOptions } from "./informer.ts";
import { type LiveRequest, listLive, readLive } from "./live.ts";

/** When caches are compared with the server. Times are milliseconds. */
export interface AuditOptions {
  /** From one audit of a cache to the next, half to one and a half times of it; 600,000 unless told. Caches of more than 10,000 objects wait in proportion. */
  readonly interval?: number;
  /** How long an event may be on its way before the cache counts as stale; 30,000 unless told. */
  readonly settle?: number;
}

/** What an audit found. */
export interface AuditReport {
  /** Objects that the server had. */
  readonly compared: number;
  /** Objects that were wrong in the cache, and are right now. */
  readonly healed: number;
}

/** What an audit asks of a store. */
export type AuditedStore = Pick<
  Store,
  | "kind"
  | "size"
  | "synced"
  | "watchState"
  | "sinceList"
  | "keys"
  | "resourceVersionOf"
  | "waitFor"
  | "heal"
>;

/** What an audit works on. */
export interface AuditParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly turns: Turns;
  readonly logger: Logger;
  readonly store: AuditedStore;
  readonly options: InformerOptions;
  readonly metrics: CacheMetrics | undefined;
  /** One audit at a time. */
  readonly slots: Slots;
  readonly relist: () => Promise<void>;
}

/** Something that differs: the resourceVersion the cache has, undefined for none. */
type Suspects = Map<string, string | undefined>;

const INTERVAL = 600_000;
const SETTLE = 30_000;
/** Objects that one audit per interval is meant for. */
const USUAL_SIZE = 10_000;
/** More than this many wrong objects are healed by a new list, fewer one by one. */
const MOST_READS = 50;
/** Keys compared in one turn of the event loop. */
const TURN = 2000;

/**
 * Compares a cache with the server now and then, by names and resourceVersions alone, and puts right what is wrong: the watch of a cache may
 * go stale for reasons that nobody thought of, behind a green status. An object counts as wrong only when it still differs, and has not
 * moved, after the cache had the time to hear of everything the server had told; then it is read live and told to the cache like any
 * change. A healthy cache is never touched, however fast it changes.
 */
export class Audit {
  readonly #parts: AuditParts;
  readonly #interval: number;
  readonly #settle: number;

  constructor(parts: AuditParts, { interval = INTERVAL, settle = SETTLE }: AuditOptions = {}) {
    this.#parts = parts;
    this.#interval = interval;
    this.#settle = settle;
  }

  /** Audits until the signal aborts. */
  async start(signal: AbortSignal): Promise<void> {
    const { clock, logger, store } = this.#parts;
    for (;;) {
      const share = Math.max(1, store.size / USUAL_SIZE);
      const wait = this.#interval * share * (0.5 + Math.random());
      try {
        await clock.sleep(wait, signal);
        if (this.#due(wait)) await this.run(signal);
      } catch (error) {
        if (signal.aborted) return;
        logger.debug("the audit of a cache failed", { error: messageOf(error) });
      }
    }
  }

  /** Audits once. Rejects with what the client throws, or the signal's reason. */
  async run(signal: AbortSignal): Promise<AuditReport> {
    using slot = await this.#parts.slots.take(signal);
    if (slot === undefined) throw signal.reason;
    const { store, metrics, logger } = this.#parts;
    const { suspects, compared, resourceVersion } = await this.#compare(signal);
    let healed = 0;
    if (suspects.size > 0) {
      await store.waitFor(resourceVersion, { timeout: this.#settle, signal });
      healed = await this.#heal(this.#unmoved(suspects), signal);
    }
    metrics?.audited(healed);
    if (healed > 0) logger.warn("a cache had gone stale and was healed", { healed, compared });
    return { compared, healed };
  }

  /** A cache that is degraded knows that it is behind, one that has just listed is not. */
  #due(wait: number): boolean {
    const { store } = this.#parts;
    return store.synced && store.watchState.phase === "live" && store.sinceList > wait / 2;
  }

  async #compare(
    signal: AbortSignal,
  ): Promise<{ suspects: Suspects; compared: number; resourceVersion: string }> {
    const { store } = this.#parts;
    const suspects: Suspects = new Map();
    const newer = new Map<string, string>();
    const seen = new Set<string>();
    const resourceVersion = await listLive(this.#request(signal), (key, version) => {
      seen.add(key);
      const held = store.resourceVersionOf(key);
      if (held === undefined || compareResourceVersions(held, version) < 0) suspects.set(key, held);
      else if (held !== version) newer.set(key, held);
    });
    for (const [key, held] of newer) {
      // Later than the list it may be; up to there the list would have it.
      if (compareResourceVersions(held, resourceVersion) <= 0) suspects.set(key, held);
    }
    let looked = 0;
    for (const key of store.keys()) {
      if (++looked % TURN === 0) await new Promise(setImmediate);
      if (seen.has(key)) continue;
      const held = store.resourceVersionOf(key) ?? "";
      if (compareResourceVersions(held, resourceVersion) <= 0) suspects.set(key, held);
    }
    return { suspects, compared: seen.size, resourceVersion };
  }

  /** Those of which the cache still shows the same. */
  #unmoved(suspects: Suspects): Suspects {
    const { store } = this.#parts;
    return new Map([...suspects].filter(([key, held]) => store.resourceVersionOf(key) === held));
  }

  async #heal(suspects: Suspects, signal: AbortSignal): Promise<number> {
    if (suspects.size > MOST_READS) return this.#relist(suspects);
    const live = new Map<string, ScannedObject | undefined>();
    let newest = "";
    for (const key of suspects.keys()) {
      const { object, resourceVersion } = await readLive(this.#request(signal), parseKey(key));
      live.set(key, object);
      if (compareResourceVersions(resourceVersion, newest) > 0) newest = resourceVersion;
    }
    if (live.size > 0) {
      await this.#parts.store.waitFor(newest, { timeout: this.#settle, signal });
    }
    let healed = 0;
    for (const [key, held] of this.#unmoved(suspects)) {
      const object = live.get(key);
      if (object?.resourceVersion === held) continue;
      this.#parts.store.heal(key, object);
      healed++;
    }
    return healed;
  }

  async #relist(suspects: Suspects): Promise<number> {
    await this.#parts.relist();
    return suspects.size - this.#unmoved(suspects).size;
  }

  #request(signal: AbortSignal): LiveRequest {
    const { client, clock, turns, store, options } = this.#parts;
    return { client, clock, turns, kind: store.kind, options, signal };
  }
}

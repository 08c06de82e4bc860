import {
  type BytesHold,
  type Cache,
  type CacheStats,
  type Clock,
  type ColumnSpec,
  type InformerShare,
  type Informers,
  Latch,
} from "kopf-ts";
import { gather } from "../gather.ts";
import { type Problem, problem } from "../problem.ts";
import { isCacheable, type ResourceType } from "../types/resource-type.ts";
import { isTold } from "../types/told.ts";
import { arrival, isRefused } from "./arrival.ts";
import type { Collection } from "./collection.ts";
import { NeededColumns } from "./needed-columns.ts";
import type { Settled } from "./options.ts";
import { Share, type ShareOwner } from "./share.ts";

/** What a TypeCache is made with. */
export interface TypeCacheParts {
  readonly informers: Informers;
  readonly clock: Clock;
  readonly options: Settled;
  /** Resolves when an earlier cache of the type has given its columns back. */
  readonly after: Promise<void>;
}

/** How long holders of a type that changed may go on with what they have begun; milliseconds. */
const GRACE = 1000;
/** From one attempt at what was refused to the next that requests bring about; milliseconds. */
const BETWEEN_RETRIES = 5000;
/** How long somebody waits for a type that did not come in time before. */
const SHORT_PATIENCE = 1000;

/** The cache of one type: its watch and columns while it is there, its bytes while somebody uses it. */
export class TypeCache {
  readonly type: ResourceType;
  readonly #parts: TypeCacheParts;
  readonly #share: InformerShare;
  readonly #columns: NeededColumns;
  readonly #gone = new AbortController();
  readonly #left = Promise.withResolvers<void>();
  #users = 0;
  #hold: BytesHold | undefined;
  /** Opens when there is everything that a share needs; one per hold of the bytes. */
  #arrived = new Latch();
  #isLate = false;
  #retriedAt = Number.NEGATIVE_INFINITY;
  #usedAt: number;
  readonly #owner: ShareOwner = {
    need: (columns, share) => this.#need(columns, share),
    follow: () => this.#parts.informers.follow(),
    leave: (share) => this.#leave(share),
  };

  /** Begins to list. */
  constructor(type: ResourceType, parts: TypeCacheParts) {
    const { informers, clock, options } = parts;
    this.type = type;
    this.#parts = parts;
    const poll = isCacheable(type) ? undefined : options.poll;
    this.#share = informers.acquire(type.kind, {
      ...{ keep: "columns", poll, table: isTold(type), gather },
    });
    this.#columns = new NeededColumns(this.#share, options.columns);
    this.#usedAt = clock.monotonic();
  }

  get cache(): Cache {
    return this.#share.cache;
  }

  /** Aborts when the type has changed or gone. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Shares that are out, those included who wait for theirs. */
  get users(): number {
    return this.#users;
  }

  /** Milliseconds since somebody came or went. */
  get idle(): number {
    return this.#parts.clock.monotonic() - this.#usedAt;
  }

  /** It is listed again and again, or has never been listed: of no use to nobody. */
  get isCostly(): boolean {
    return !(this.cache.synced && isCacheable(this.type));
  }

  /** Whether bytes are held, and nobody else holds them. */
  get ownsBytes(): boolean {
    return this.#hold?.isOnly ?? false;
  }

  /** Whether nobody has to wait for a share. */
  get hasArrived(): boolean {
    return this.#arrived.isOpen;
  }

  /** Whether bytes are held. */
  get holdsBytes(): boolean {
    return this.#hold !== undefined;
  }

  get stats(): CacheStats {
    return this.cache.stats;
  }

  /** A share of what is there; only where it has arrived. */
  share(): Collection {
    this.#users++;
    return new Share(this, this.#owner);
  }

  /** A share, once everything is there. Rejects as Collections say. */
  async use(signal: AbortSignal): Promise<Collection> {
    const share = new Share(this, this.#owner);
    this.#users++;
    try {
      if (!this.hasArrived) await this.#ready(signal);
      return share;
    } catch (thrown) {
      this.#leave(share);
      throw thrown;
    }
  }

  /** Asks for the bytes that another cache of the same objects has or waits for, as if they had been asked for when its were. */
  takeOver(from: TypeCache): void {
    this.#usedAt = from.#usedAt;
    this.#begin();
  }

  /** Lets go of bytes; who comes next gets them back. */
  drop(): void {
    if (this.users > 0) return;
    this.#hold?.[Symbol.dispose]();
    this.#hold = undefined;
    this.#arrived = new Latch();
  }

  /** Ends it: tells holders, lets them finish what they have begun, and gives everything back. */
  async retire(): Promise<void> {
    const { clock } = this.#parts;
    const changed = `the type ${this.type.id} has changed`;
    this.#tellGone(problem("SchemasNotRefreshed", changed));
    const done = new AbortController();
    const waited = clock.sleep(GRACE, done.signal).catch(() => undefined);
    if (this.users > 0) await Promise.race([this.#left.promise, waited]);
    done.abort();
    this.end();
  }

  /** As `retire`, at once. */
  end(): void {
    this.#tellGone(problem("ClusterUnavailable", "stopping"));
    this.#hold?.[Symbol.dispose]();
    this.#hold = undefined;
    this.#share.release();
  }

  async #ready(signal: AbortSignal): Promise<void> {
    const { clock, options } = this.#parts;
    if (isRefused(this.#state)) this.#retry();
    const patience = this.#isLate ? Math.min(SHORT_PATIENCE, options.patience) : options.patience;
    this.#begin();
    try {
      const awaited = { name: this.type.id, arrived: this.#arrived, state: () => this.#state };
      await arrival(awaited, { clock, patience, signal });
      this.gone.throwIfAborted();
      this.#isLate = false;
    } catch (thrown) {
      this.#isLate = !(signal.aborted || this.gone.aborted);
      throw thrown;
    }
  }

  /** What was refused may be granted now; requests may ask so often, the server is not asked with each of them. */
  #retry(): void {
    const now = this.#parts.clock.monotonic();
    if (now < this.#retriedAt + BETWEEN_RETRIES) return;
    this.#retriedAt = now;
    this.#parts.informers.retry([this.type.kind]);
  }

  get #state(): Cache["watchState"] {
    return this.cache.watchState;
  }

  #tellGone(reason: Problem): void {
    if (this.gone.aborted) return;
    this.#gone.abort(reason);
    this.#arrived.fail(reason);
  }

  /** Asks for the bytes, once for all who wait. */
  #begin(): void {
    if (this.#hold !== undefined) return;
    this.#hold = this.#share.hold();
    void this.#arrive(this.#hold);
  }

  async #arrive(hold: BytesHold): Promise<void> {
    const arrived = Promise.all([this.#share.whenSynced(), hold.ready, this.#parts.after]);
    await arrived.catch(() => new Promise<never>(() => undefined)); // it is gone: `gone` says so
    if (this.#hold !== hold || this.gone.aborted) return;
    this.cache.keepHistory(this.#parts.options.history);
    this.#arrived.open();
  }

  async #need(columns: readonly ColumnSpec[], share: Share): Promise<void> {
    this.gone.throwIfAborted();
    await this.#columns.need(columns, share);
    this.gone.throwIfAborted();
  }

  #leave(share: Share): void {
    if (share.hasLeft) return;
    share.hasLeft = true;
    this.#users--;
    this.#columns.leave(share);
    this.#usedAt = this.#parts.clock.monotonic();
    if (this.users === 0 && this.gone.aborted) this.#left.resolve();
  }
}

import {
  type Clock,
  fullJitter,
  type Logger,
  type RecentWarnings,
  silentLogger,
  systemClock,
} from "../base/index.ts";
import { type Client, type Kind, resourceName, type SelectorOptions } from "../kube/index.ts";
import type { WatchMetrics } from "../observe/index.ts";
import { Backoff } from "./backoff.ts";
import { Bookmarks } from "./bookmarks.ts";
import { open, type WatchContext } from "./context.ts";
import { prove } from "./continuity.ts";
import { Course } from "./course.ts";
import { judge, type Verdict } from "./failure.ts";
import { GuardedSink, SinkFailure } from "./guarded-sink.ts";
import { type ListMode, ListModeMemory } from "./memory.ts";
import { PagedList } from "./paged-list.ts";
import { Position } from "./position.ts";
import { Reporter } from "./reporter.ts";
import { changes, streamedList, type WatchRequest } from "./request.ts";
import { Session, type SessionOptions } from "./session.ts";
import type { WatchSink } from "./sink.ts";
import { TableRows } from "./table.ts";
import { defaultTiming, type WatchTiming } from "./timing.ts";
import { Turns } from "./turns.ts";

/** Options of a watch. */
export interface WatchOptions extends SelectorOptions {
  /** Objects come as PartialObjectMetadata: apiVersion, kind and metadata alone. */
  readonly metadataOnly?: boolean;
  /** Objects are asked for as rows of the server's tables, and come with the cells as `metadata.fields`; without, where the server makes none. */
  readonly table?: boolean;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly metrics?: WatchMetrics;
  readonly timing?: Partial<WatchTiming>;
  /** How far the consumer has come with an earlier watch: the first list is at least as new, unless the server lost that state. */
  readonly startFrom?: string;
  /** What is tried first; `stream` unless told. See the README. */
  readonly listMode?: ListMode | undefined;
  /** Objects per page of a list that is not streamed; 500 unless told, 10,000 where pages are preferred. */
  readonly pageSize?: number;
  /** For resources that can be listed and not watched: the list is read anew this many milliseconds after the last one. */
  readonly poll?: number | undefined;
  /** Shared by the watches of a cluster. */
  readonly memory?: ListModeMemory;
  /** Shared by the watches of a cluster, so that what all of them meet is warned of by one; without it each of them warns. */
  readonly warnings?: RecentWarnings;
  /** Shared by all watches of a process. */
  readonly turns?: Turns;
  /** Milliseconds for which changes may gather once everything is listed, asked anew whenever some have come; at once unless told. See `hurry`. */
  readonly gather?: () => number;
}

/** As client-go (tools/pager/pager.go, defaultPageSize). */
const PAGE_SIZE = 500;
/** Few pages, since each waits for the one before; and no more objects than an API server reads from etcd at once (apiserver: storage/etcd3/store.go, maxLimit). */
const LARGE_PAGE_SIZE = 10_000;

/**
 * One resource as one stream of events, for as long as its signal lets it.
 *
 * Guarantees: the sink is told every state the server tells, in its order, and every deletion, if need be by its absence from the
 * next list; nothing is told twice without a reason on the server's side; a fault of network or server is survived and told as a
 * state. Caveats: states in between may be left out, as Kubernetes does; an object without a name is left out with a warning.
 * Errors: `start` rejects only with what the sink itself threw.
 */
export class Watch {
  readonly #context: WatchContext;
  readonly #course: Course;
  readonly #backoff: Backoff;
  readonly #pages: PagedList;
  readonly #poll: number | undefined;
  #started = false;
  /** The client was disposed: no attempt can succeed any more. */
  #closed = false;
  /** When (monotonic) the server was found to have lost what it told. */
  #restored = Number.NEGATIVE_INFINITY;
  /** Until then (monotonic) what was refused may be granted any moment. */
  #eagerUntil = Number.NEGATIVE_INFINITY;
  /** What is read now. */
  #session: Session | undefined;
  /** Ends a wait for what only a person can change. */
  #wake: (() => void) | undefined;

  constructor(client: Client, kind: Kind, sink: WatchSink, options: WatchOptions = {}) {
    const {
      metadataOnly = false,
      table = false,
      clock = systemClock,
      namespace,
      labelSelector,
      fieldSelector,
    } = options;
    const timing = { ...defaultTiming, ...options.timing };
    const logger = (options.logger ?? silentLogger).child({ resource: resourceName(kind) });
    const guarded = new GuardedSink(sink);
    this.#context = {
      client,
      target: { kind, metadataOnly, table, namespace, labelSelector, fieldSelector },
      rows: table ? new TableRows(clock) : undefined,
      sink: guarded,
      position: new Position(options.startFrom),
      bookmarks: new Bookmarks(),
      reporter: new Reporter(guarded, logger, options.warnings),
      clock,
      logger,
      metrics: options.metrics,
      timing,
      turns: options.turns ?? new Turns(clock, timing.slice),
      gather: options.gather,
    };
    const { position } = this.#context;
    const prefersPages = options.listMode === "pages";
    const memory = options.memory ?? new ListModeMemory();
    this.#course = new Course(kind, position, memory, options.listMode);
    this.#backoff = new Backoff(clock, timing);
    this.#poll = options.poll;
    this.#pages = new PagedList(this.#context, {
      pageSize: options.pageSize ?? (prefersPages ? LARGE_PAGE_SIZE : PAGE_SIZE),
      isQuiet: options.poll !== undefined,
      isNewest: prefersPages,
    });
  }

  /** Lists and watches until the signal aborts or the client is disposed (the last state is then `Closed`), then resolves. Call it once. */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#started) throw new Error("a watch starts once");
    this.#started = true;
    try {
      if (!signal.aborted) this.#context.reporter.tell({ phase: "listing" });
      while (!signal.aborted && !this.#closed) await this.#attempt(signal);
    } catch (thrown) {
      throw thrown instanceof SinkFailure ? thrown.cause : thrown;
    }
  }

  /**
   * What was refused (403, 404, 405) may be granted now, for example because the CRD that was missing is there: ends the wait for it and, since
   * a server may be a moment behind what it told, makes the next waits short ones. Waits for anything else go on.
   */
  retry(): void {
    const { clock, reporter, timing } = this.#context;
    if (reporter.live) return;
    this.#eagerUntil = clock.monotonic() + timing.eager;
    this.#backoff.reset();
    this.#wake?.();
  }

  /** What has gathered is read at once; so is what comes later, while `gather` says 0. */
  hurry(): void {
    this.#session?.hurry();
  }

  async #attempt(signal: AbortSignal): Promise<void> {
    try {
      await this.#advance(signal);
    } catch (thrown) {
      if (signal.aborted) return;
      if (thrown instanceof SinkFailure) throw thrown;
      await this.#recover(judge(thrown), signal);
    }
  }

  #advance(signal: AbortSignal): Promise<void> {
    if (this.#poll !== undefined) return this.#listAgain(this.#poll, signal);
    switch (this.#course.next()) {
      case "changes":
        return this.#follow(signal);
      case "pages":
        return this.#listInPages(signal);
      case "stream":
        return this.#streamList(signal);
    }
  }

  /** List and changes on one stream. */
  async #streamList(signal: AbortSignal): Promise<void> {
    const { position, target, timing } = this.#context;
    const serverTimeout = this.#serverTimeout();
    const request = streamedList(target, position.streamFrom, serverTimeout);
    await this.#run(request, { listing: true, serverTimeout }, timing.listSilence, signal);
  }

  async #listInPages(signal: AbortSignal): Promise<void> {
    await this.#pages.run(signal);
    this.#course.listed();
    this.#live();
  }

  /** The newest state, some time after the last one was told. */
  async #listAgain(interval: number, signal: AbortSignal): Promise<void> {
    const { position } = this.#context;
    if (position.resumable) await this.#sleep(interval, false, signal);
    if (signal.aborted) return;
    position.expire();
    await this.#listInPages(signal);
  }

  /** Changes since the last one told, from a server that still stands behind it. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { position, target, timing } = this.#context;
    if (position.unproven) await prove(this.#context, signal);
    if (!position.resumable) return;
    const serverTimeout = this.#serverTimeout();
    const request = changes(target, position.resourceVersion, serverTimeout);
    await this.#run(request, { listing: false, serverTimeout }, timing.answer, signal);
  }

  async #run(
    request: WatchRequest,
    purpose: Pick<SessionOptions, "listing" | "serverTimeout">,
    answer: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, metrics } = this.#context;
    const asked = clock.monotonic();
    metrics?.opened();
    const stream = await open(this.#context, request, answer, signal);
    const session = new Session(this.#context, {
      ...purpose,
      path: request.path,
      asked,
      onListed: () => this.#course.listed(),
      onLive: () => this.#live(),
    });
    this.#session = session;
    try {
      await session.run(stream);
    } finally {
      this.#session = undefined;
      stream.close();
    }
  }

  #live(): void {
    this.#course.live();
    this.#context.reporter.tell({ phase: "live" });
  }

  async #recover(verdict: Verdict, signal: AbortSignal): Promise<void> {
    const { metrics, logger, reporter } = this.#context;
    const { reason, message } = verdict;
    metrics?.failed(reason);
    if (reason === "Restored") this.#hasteOnce();
    if (this.#course.failed(verdict)) {
      logger.debug("the list cannot be streamed, trying pages", { reason, message });
      return;
    }
    const { failures } = this.#course;
    logger.debug("watch failed", { reason, message, failures });
    const news = failures > 1 || !verdict.passing || !reporter.live;
    if (news) reporter.tell({ phase: "degraded", reason, message });
    this.#closed = verdict.wait === "never";
    if (this.#closed) return;
    await this.#sleep(this.#delay(verdict), verdict.wait === "slow", signal);
  }

  /** The server is there again. One that says so again and again has to wait. */
  #hasteOnce(): void {
    const { clock, timing } = this.#context;
    const now = clock.monotonic();
    if (now - this.#restored > timing.backoffReset) this.#backoff.reset();
    this.#restored = now;
  }

  #delay({ wait }: Verdict): number {
    const { clock, timing } = this.#context;
    const backoff = this.#backoff.next();
    if (typeof wait === "number") return Math.max(backoff, Math.min(wait, timing.longestAsked));
    if (wait !== "slow") return backoff;
    return clock.monotonic() < this.#eagerUntil ? backoff : fullJitter(timing.slowRetry / 2);
  }

  #sleep(delay: number, wakeable: boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const end = (): void => {
        timer.cancel();
        signal.removeEventListener("abort", end);
        this.#wake = undefined;
        resolve();
      };
      const timer = this.#context.clock.after(delay, end);
      signal.addEventListener("abort", end, { once: true });
      if (wakeable) this.#wake = end;
    });
  }

  #serverTimeout(): number {
    const { serverTimeoutMin, serverTimeoutMax } = this.#context.timing;
    return serverTimeoutMin + Math.random() * (serverTimeoutMax - serverTimeoutMin);
  }
}

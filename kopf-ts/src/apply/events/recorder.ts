import { hostname } from "node:os";
import { LRUCache } from "lru-cache";
import {
  type Clock,
  type Logger,
  messageOf,
  silentLogger,
  systemClock,
  type Timer,
} from "../../base/index.ts";
import type { Client, ObjectRef } from "../../kube/index.ts";
import type { Metrics } from "../../observe/index.ts";
import { type EventEssence, type EventInput, essenceOf, isAboutEvent } from "./event.ts";
import { defaultLimits, type EventLimits } from "./limits.ts";
import { EventSender, freshName, type Series } from "./sender.ts";
import { type EventLoss, type EventTally, eventTally } from "./tally.ts";
import { TokenBucket } from "./token-bucket.ts";

/** Options of EventRecorder. */
export interface EventRecorderOptions {
  /** Who reports: a name such as `drover` or `example.com/operator`. */
  readonly reportingController: string;
  /** Which process of it; the host's name unless told. */
  readonly reportingInstance?: string;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  readonly limits?: Partial<EventLimits>;
}

type Tracked = Series & { lastSeen: number; lastSent: number; timer: Timer | undefined };

/**
 * Tells people what controllers do, as Events (events.k8s.io/v1) beside the objects.
 *
 * Guarantees: `event` returns at once and never throws; a repetition within the window only raises the count of the first; an object,
 * and all together, get a bounded rate of events, and memory is bounded; never an event about an event. An event that cannot be
 * written is tried a few times, then dropped and counted.
 *
 * Caveats: Events are for people, and may get lost; what a program relies on belongs into conditions. Counts are written up to `interval`
 * late, and `flush` writes them all. The message must not contain secrets: whoever may read events of the namespace sees it.
 */
export class EventRecorder {
  readonly #limits: EventLimits;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #tally: EventTally;
  readonly #reporting: { readonly controller: string; readonly instance: string };
  readonly #sender: EventSender<Tracked>;
  readonly #series: LRUCache<string, Tracked>;
  readonly #objects: LRUCache<string, TokenBucket>;
  readonly #overall: TokenBucket;
  readonly #timed = new Set<Tracked>();
  #flushing = 0;

  constructor(client: Client, options: EventRecorderOptions) {
    const { reportingController, reportingInstance = hostname(), clock = systemClock } = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#clock = clock;
    this.#logger = options.logger ?? silentLogger;
    this.#tally = eventTally(options.metrics);
    this.#reporting = { controller: reportingController, instance: reportingInstance };
    this.#overall = new TokenBucket(this.#limits.overall, clock);
    this.#objects = new LRUCache({ max: this.#limits.remembered });
    this.#series = new LRUCache({
      max: this.#limits.remembered,
      dispose: (series) => this.#sendNow(series),
    });
    this.#sender = new EventSender({
      client,
      clock,
      limits: this.#limits,
      logger: this.#logger,
      tally: this.#tally,
      onSent: (series) => this.#afterSent(series),
    });
  }

  /** Tells what happened to `object`. */
  event(object: ObjectRef, event: EventInput): void {
    try {
      this.#record(object, event);
    } catch (error) {
      this.#drop("invalid", { error: messageOf(error) });
    }
  }

  /**
   * Writes everything that waits, counts too, however many there are; resolves when that is done or took longer than the limit, and never
   * rejects. What was not begun by then is dropped, but for counts, which keep their time.
   */
  async flush(): Promise<void> {
    this.#flushing += 1;
    const over = new AbortController();
    const timeout = this.#clock.sleep(this.#limits.flush, over.signal).then(
      () => true,
      () => false,
    );
    const timedOut = await Promise.race([timeout, this.#writeAll(over.signal).then(() => false)]);
    over.abort();
    this.#flushing -= 1;
    if (timedOut) this.#tally.dropped("flush_timeout", this.#sender.clear());
  }

  /** As many at once as may wait, until nothing is left. */
  async #writeAll(over: AbortSignal): Promise<void> {
    const { waiting } = this.#limits;
    do {
      for (const series of [...this.#timed]) {
        if (!this.#sender.offer(series)) break;
        this.#unschedule(series);
      }
      await this.#sender.drained();
    } while (this.#timed.size > 0 && waiting > 0 && !over.aborted);
  }

  #record(object: ObjectRef, input: EventInput): void {
    const essence = essenceOf(object, input, this.#reporting);
    const key = JSON.stringify(essence);
    const known = this.#series.get(key);
    if (known !== undefined && this.#goesOn(known)) this.#repeat(known);
    else this.#first(key, essence);
  }

  #first(key: string, essence: EventEssence): void {
    const series = this.#begin(essence);
    const loss = this.#refusal(essence) ?? (this.#sender.offer(series) ? undefined : "queue_full");
    if (loss === undefined) this.#series.set(key, series);
    else this.#drop(loss);
  }

  #refusal(essence: EventEssence): EventLoss | undefined {
    if (isAboutEvent(essence.regarding)) return "about_event";
    if (!this.#bucketOf(essence).take()) return "object_limit";
    return this.#overall.take() ? undefined : "overall_limit";
  }

  #begin(essence: EventEssence): Tracked {
    const now = this.#clock.now();
    return {
      essence,
      firstObserved: now,
      lastObserved: now,
      count: 1,
      sentCount: 0,
      name: freshName(essence, this.#clock),
      busy: false,
      lost: false,
      lastSeen: this.#clock.monotonic(),
      lastSent: this.#clock.monotonic(),
      timer: undefined,
    };
  }

  #goesOn({ lost, lastSeen }: Tracked): boolean {
    return !lost && this.#clock.monotonic() - lastSeen < this.#limits.window;
  }

  #repeat(series: Tracked): void {
    series.count += 1;
    series.lastObserved = this.#clock.now();
    series.lastSeen = this.#clock.monotonic();
    this.#tally.outcome("counted");
    this.#schedule(series);
  }

  /** The count goes out when the interval since the last writing is over, or at once while somebody flushes. */
  #schedule(series: Tracked): void {
    if (series.timer !== undefined || series.busy || series.count === series.sentCount) return;
    if (this.#flushing > 0 && this.#sender.offer(series)) return;
    const due = series.lastSent + this.#limits.interval;
    this.#timed.add(series);
    series.timer = this.#clock.after(Math.max(0, due - this.#clock.monotonic()), () => {
      this.#unschedule(series);
      if (this.#overall.take() && this.#sender.offer(series)) return;
      series.lastSent = this.#clock.monotonic();
      this.#schedule(series);
    });
  }

  #unschedule(series: Tracked): void {
    series.timer?.cancel();
    series.timer = undefined;
    this.#timed.delete(series);
  }

  /** For series that will not be scheduled again: pushed out of memory or replaced. */
  #sendNow(series: Tracked): void {
    if (series.timer === undefined) return;
    this.#unschedule(series);
    if (!this.#sender.offer(series)) this.#tally.dropped("queue_full");
  }

  #afterSent(series: Tracked): void {
    series.lastSent = this.#clock.monotonic();
    if (!series.lost) this.#schedule(series);
  }

  #bucketOf({ regarding, reportingController }: EventEssence): TokenBucket {
    const { kind, namespace = "", name, uid = "" } = regarding;
    const key = [reportingController, kind, namespace, name, uid].join("/");
    const bucket = this.#objects.get(key) ?? new TokenBucket(this.#limits.perObject, this.#clock);
    this.#objects.set(key, bucket);
    return bucket;
  }

  #drop(reason: EventLoss, fields: Readonly<Record<string, unknown>> = {}): void {
    this.#tally.dropped(reason);
    this.#logger.debug("event dropped", { reason, ...fields });
  }
}

/** Writes events to the API server, some at once, each a bounded number of times. */

import { type Clock, exponential, type Logger, messageOf } from "../../base/index.ts";
import {
  ApiError,
  type Client,
  isAlreadyExists,
  isNotFound,
  type ObjectRef,
} from "../../kube/index.ts";
import {
  Event,
  type EventEssence,
  type EventObject,
  eventName,
  namespaceFor,
  toMicroTime,
} from "./event.ts";
import type { EventLimits } from "./limits.ts";
import type { EventLoss, EventTally } from "./tally.ts";

/** An event and how often it was told. Only the recorder and the sender touch it. */
export interface Series {
  readonly essence: EventEssence;
  readonly firstObserved: number;
  lastObserved: number;
  count: number;
  /** What the server was last told; 0 before it knows the event. */
  sentCount: number;
  /** The Event object's name; it stays the same over attempts, so a lost answer makes no second Event. */
  name: string;
  /** It waits to be sent or is on its way. */
  busy: boolean;
  /** It could not be written: the next of its kind starts anew. */
  lost: boolean;
}

/** What the sender needs. */
export interface SenderOptions<S extends Series> {
  readonly client: Client;
  readonly limits: Pick<EventLimits, "waiting" | "requests" | "attempts">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tally: EventTally;
  /** Called after each attempt to write a series came to its end. */
  readonly onSent: (series: S) => void;
}

const requestTimeout = 10_000;

/** A bounded queue and its few workers, which exist only while there is something to send. */
export class EventSender<S extends Series> {
  readonly #options: SenderOptions<S>;
  readonly #queue: S[] = [];
  #busy = 0;
  #idle: (() => void)[] = [];
  readonly #warned = new Set<string>();

  constructor(options: SenderOptions<S>) {
    this.#options = options;
  }

  /** Queues a series that is not busy; false when the queue is full. */
  offer(series: S): boolean {
    if (this.#queue.length >= this.#options.limits.waiting) return false;
    series.busy = true;
    this.#queue.push(series);
    if (this.#busy < this.#options.limits.requests) void this.#work();
    return true;
  }

  /** Resolves when nothing waits and nothing is on its way. */
  drained(): Promise<void> {
    if (this.#busy === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Forgets what waits and says how much that was; it may be offered again. */
  clear(): number {
    const forgotten = this.#queue.splice(0);
    for (const series of forgotten) series.busy = false;
    return forgotten.length;
  }

  async #work(): Promise<void> {
    this.#busy += 1;
    for (let series = this.#queue.shift(); series !== undefined; series = this.#queue.shift()) {
      await this.#send(series);
      series.busy = false;
      this.#options.onSent(series);
    }
    this.#busy -= 1;
    if (this.#busy === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #send(series: Series): Promise<void> {
    const { clock, limits } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#write(series);
      } catch (error) {
        if (attempt >= limits.attempts || !isPassing(error)) return this.#lose(series, error);
        await clock.sleep(exponential(attempt - 1, { min: 1_000, max: 10_000 }));
      }
    }
  }

  async #write(series: Series): Promise<void> {
    const { count } = series;
    if (series.sentCount > 0) {
      if (await this.#update(series)) return this.#told(series, count, "updated");
      series.name = freshName(series.essence, this.#options.clock);
    }
    await this.#create(series);
    this.#told(series, count, "created");
  }

  async #create(series: Series): Promise<void> {
    const { client } = this.#options;
    try {
      await client.create(toObject(series), { timeout: requestTimeout });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  /** False when the Event is no more: the server forgets events after an hour. */
  async #update(series: Series): Promise<boolean> {
    const { client } = this.#options;
    const change = { merge: { series: seriesOf(series) } };
    try {
      await client.patch<EventObject>(refOf(series), change, { timeout: requestTimeout });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  #told(series: Series, count: number, outcome: "created" | "updated"): void {
    series.sentCount = count;
    this.#options.tally.outcome(outcome);
  }

  /** The first of each reason is worth a warning; a namespace that goes takes its events with it, which is as it should be. */
  #lose(series: Series, error: unknown): void {
    series.lost = true;
    const reason = lossOf(error);
    const { logger, tally } = this.#options;
    tally.dropped(reason);
    const loud = reason !== "namespace_gone" && !this.#warned.has(reason);
    this.#warned.add(reason);
    const fields = { reason, error: messageOf(error), event: series.essence.reason };
    if (loud) logger.warn("event lost; further ones are only counted", fields);
    else logger.debug("event lost", fields);
  }
}

/** A name for the Event, unique by time and chance. */
export function freshName({ regarding }: EventEssence, clock: Clock): string {
  const chance = Math.floor(Math.random() * 0x1000000)
    .toString(16)
    .padStart(6, "0");
  return eventName(regarding.name, `${Math.floor(clock.now()).toString(16)}${chance}`);
}

/** What another attempt may cure: no answer, too many requests, a fault of the server. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.code === 0) return error.reason === "Unreachable" || error.reason === "Timeout";
  return error.code === 429 || error.code >= 500;
}

function lossOf(error: unknown): EventLoss {
  if (isPassing(error)) return "unreachable";
  return isNotFound(error) || isTerminating(error) ? "namespace_gone" : "refused";
}

function isTerminating(error: unknown): boolean {
  const causes = error instanceof ApiError ? (error.status?.details?.causes ?? []) : [];
  return causes.some(({ reason }) => reason === "NamespaceTerminating");
}

function refOf(series: Series): ObjectRef {
  const metadata = { name: series.name, namespace: namespaceFor(series.essence) };
  return { apiVersion: `${Event.group}/${Event.version}`, kind: Event.kind, metadata };
}

function seriesOf({ count, lastObserved }: Series): NonNullable<EventObject["series"]> {
  return { count, lastObservedTime: toMicroTime(lastObserved) };
}

function toObject(series: Series): EventObject {
  return {
    ...refOf(series),
    eventTime: toMicroTime(series.firstObserved),
    ...series.essence,
    ...(series.count > 1 ? { series: seriesOf(series) } : {}),
  };
}

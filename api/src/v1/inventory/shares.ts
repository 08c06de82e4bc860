/** The caches behind an inventory: one for each type, taken two at a time. */

import {
  type Background,
  type Clock,
  type Informer,
  type Informers,
  type KubeObject,
  type Logger,
  messageOf,
} from "kopf-ts";
import { gather } from "../gather.ts";
import {
  isCacheable,
  isSameResource,
  type ResourceType,
  type Types,
} from "../types/resource-type.ts";
import { isTold } from "../types/told.ts";
import { columnsOf, type KeptParts, KeptType } from "./kept.ts";

/** What Shares are made with. */
export interface SharesParts extends KeptParts {
  readonly informers: Informers;
  readonly types: Types;
  readonly calm: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly background: Background;
}

interface Share {
  readonly kept: KeptType;
  readonly end: () => void;
}

/** Types that are listed for the first time at once: fewer than informers list, so that what somebody waits for is listed beside them. */
const atOnce = 2;
/** How long one is waited for before the next begins, and how often it is looked at; milliseconds. */
const patience = 10_000;
const glance = 50;

/** Takes a share of the cache of every type that can be listed and watched; gives it back when the type goes or becomes another. */
export class Shares {
  readonly #parts: SharesParts;
  readonly #shares = new Map<string, Share>();
  /** Types that are to be looked at, oldest first. */
  readonly #waiting = new Set<string>();
  #working = 0;

  constructor(parts: SharesParts) {
    this.#parts = parts;
  }

  of(typeId: string): KeptType | undefined {
    return this.#shares.get(typeId)?.kept;
  }

  *all(): Generator<KeptType, void> {
    for (const { kept } of this.#shares.values()) yield kept;
  }

  /** Follows the types until the signal aborts. */
  start(signal: AbortSignal): void {
    const { types } = this.#parts;
    const changed = types.onChange((ids) => this.#look(ids, signal));
    const end = (): void => {
      changed[Symbol.dispose]();
      for (const id of [...this.#shares.keys()]) this.#drop(id);
    };
    signal.addEventListener("abort", end, { once: true });
    const lookAtAll = (): void =>
      this.#look(
        [...types.all()].map(({ id }) => id),
        signal,
      );
    types.ready(signal).then(lookAtAll, () => undefined); // it rejects when the signal aborts
  }

  #look(ids: Iterable<string>, signal: AbortSignal): void {
    for (const id of ids) {
      const wanted = this.#wanted(id);
      const share = this.#shares.get(id);
      if (share !== undefined && wanted !== undefined && isSame(share.kept.type, wanted)) {
        share.kept.type = wanted;
        continue;
      }
      this.#drop(id);
      if (wanted !== undefined) this.#waiting.add(id);
    }
    while (this.#working < atOnce && this.#waiting.size > 0) void this.#work(signal);
  }

  #wanted(id: string): ResourceType | undefined {
    const type = this.#parts.types.find(id);
    return type !== undefined && type.id === id && isCacheable(type) ? type : undefined;
  }

  async #work(signal: AbortSignal): Promise<void> {
    this.#working++;
    while (this.#waiting.size > 0) {
      await this.#parts.calm?.(signal);
      const [id] = this.#waiting;
      if (id === undefined) break; // others have taken the last
      this.#waiting.delete(id);
      const type = this.#wanted(id);
      const kept = signal.aborted || type === undefined ? undefined : this.#take(type);
      if (kept !== undefined) await this.#settled(kept, signal);
    }
    this.#working--;
  }

  /** Undefined when the informers were disposed. */
  #take(type: ResourceType): KeptType | undefined {
    try {
      return this.#begin(type);
    } catch (error) {
      this.#failed(type, error);
      return undefined;
    }
  }

  #begin(type: ResourceType): KeptType {
    const { informers, onTally, clock } = this.#parts;
    const informer = informers.acquire(type.kind, {
      ...{ keep: "columns", table: isTold(type), gather },
    });
    const kept = new KeptType(type, informer.cache, this.#parts);
    const stop = new AbortController();
    const end = (): void => {
      stop.abort();
      informer.release();
    };
    this.#shares.set(type.id, { kept, end });
    onTally(type.id);
    const columns = columnsOf(type, () => clock.now());
    follow(informer, kept, columns, stop.signal).catch((error) => {
      if (!stop.signal.aborted) this.#failed(type, error);
    });
    return kept;
  }

  #failed({ id }: ResourceType, error: unknown): void {
    this.#parts.log.error("a type is not in the inventory", { type: id, error: messageOf(error) });
  }

  /** Waits until the type is there, cannot be listed, or takes too long. */
  async #settled(kept: KeptType, signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    const until = clock.monotonic() + patience;
    while (!kept.synced && !kept.gone && clock.monotonic() < until && !signal.aborted) {
      if (kept.cache.watchState.phase === "degraded") return;
      await clock.sleep(glance, signal).catch(() => undefined);
    }
  }

  #drop(id: string): void {
    this.#waiting.delete(id);
    const share = this.#shares.get(id);
    if (share === undefined) return;
    this.#shares.delete(id);
    share.end();
    this.#parts.background.run(share.kept.clear());
    this.#parts.onTally(id);
  }
}

async function follow(
  informer: Informer<KubeObject>,
  kept: KeptType,
  columns: Parameters<Informer["addColumns"]>[0],
  signal: AbortSignal,
): Promise<void> {
  await informer.addColumns(columns);
  signal.throwIfAborted();
  const { replayed, ...subscription } = informer.cache.subscribe(({ key }) => kept.take(key), {
    replay: true,
  });
  signal.addEventListener("abort", () => subscription[Symbol.dispose](), { once: true });
  await informer.whenSynced(signal);
  await replayed;
  kept.fill();
}

/** Whether what is kept of one serves for the other. */
function isSame(a: ResourceType, b: ResourceType): boolean {
  return isSameResource(a, b) && a.observesGeneration === b.observesGeneration;
}

import {
  Background,
  type BackgroundSteps,
  type Clock,
  type Logger,
  messageOf,
  type Timer,
} from "kopf-ts";
import { LRUCache } from "lru-cache";
import type { Access } from "../access/access.ts";
import type { Inventory } from "../inventory/inventory.ts";
import { type CountsParts, countOf, type ItemCount } from "./counts.ts";

/** Counts by type. */
export type Counts = Readonly<Record<string, ItemCount>>;

/** A subscription to counts, until disposed. */
export interface CountsWatch extends Disposable {
  /** The caller's rights are these now; counts that differ by them are told like other changes. */
  accessChanged(access: Access): void;
}

/** What a feed is made of. */
export interface FeedParts extends CountsParts {
  readonly inventory: Pick<Inventory, "of" | "onChange">;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What a caller with certain rights sees of a type. */
interface Seen {
  /** How often the type had changed. */
  readonly stamp: number;
  /** What is there is not known while it is `unread` (yet, or again): there is nothing to tell. */
  readonly count: ItemCount | "unread" | undefined;
  readonly text: string;
}

/** Milliseconds between two messages to one listener (steve: pkg/resources/counts/buffer.go). */
const pause = 5_000;
/** Counts of one type for callers with equal rights that are kept: those who watch share them. */
const mostSeen = 20_000;

/**
 * Tells counts as they change, to each listener what its caller may see. Guarantees: only types are told whose counts differ for that caller from what was told or seen
 * before; the first change at once, later ones together every 5 s; types that come later are included; one that went, or may not be seen any more, is told once with nothing in
 * it. What callers with equal rights see is counted once, in the background.
 */
export class CountsFeed {
  readonly #parts: FeedParts;
  readonly #background: Background;
  readonly #watches = new Set<Watch>();
  readonly #stamps = new Map<string, number>();
  readonly #seen = new LRUCache<string, Seen>({ max: mostSeen });
  #listening: Disposable | undefined;
  #telling = false;
  #asked = false;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.#background = new Background(parts.log);
  }

  /** Tells what changes from now on. */
  subscribe(access: Access, listener: (counts: Counts) => void): CountsWatch {
    this.#listening ??= this.#parts.inventory.onChange((ids) => this.#note(ids));
    const watch = new Watch(access, {
      clock: this.#parts.clock,
      typeIds: () => [...this.#parts.types.all()].map(({ id }) => id),
      see: (id, by) => this.#see(id, by),
      wake: () => this.#wake(),
      tell: (counts) => this.#call(listener, counts),
    });
    this.#watches.add(watch);
    this.#wake();
    return {
      accessChanged: (changed) => watch.accessChanged(changed),
      [Symbol.dispose]: () => this.#leave(watch),
    };
  }

  #leave(watch: Watch): void {
    watch.end();
    this.#watches.delete(watch);
    if (this.#watches.size > 0) return;
    this.#listening?.[Symbol.dispose]();
    this.#listening = undefined;
    this.#seen.clear();
  }

  #note(ids: ReadonlySet<string>): void {
    for (const id of ids) this.#stamps.set(id, (this.#stamps.get(id) ?? 0) + 1);
    for (const watch of this.#watches) watch.note(ids);
    this.#wake();
  }

  #wake(): void {
    this.#asked = true;
    if (this.#telling) return;
    this.#telling = true;
    this.#background.run(this.#tellAll());
  }

  *#tellAll(): BackgroundSteps {
    while (this.#asked) {
      this.#asked = false;
      for (const watch of [...this.#watches]) yield* watch.tell();
    }
    this.#telling = false;
  }

  #see(id: string, access: Access): Seen {
    const key = `${id} ${access.fingerprint}`;
    const stamp = this.#stamps.get(id) ?? 0;
    const known = this.#seen.get(key);
    if (known?.stamp === stamp) return known;
    const type = this.#parts.types.find(id);
    const count = type && countOf(this.#parts, type, access);
    const isKnown = count !== undefined && count !== "unread";
    const seen = { stamp, count, text: isKnown ? JSON.stringify(count) : "" };
    this.#seen.set(key, seen);
    return seen;
  }

  #call(listener: (counts: Counts) => void, counts: Counts): void {
    try {
      listener(counts);
    } catch (error) {
      this.#parts.log.error("a listener of counts failed", { error: messageOf(error) });
    }
  }
}

/** What a watch asks of its feed. */
interface WatchParts {
  readonly clock: Clock;
  readonly typeIds: () => readonly string[];
  readonly see: (typeId: string, access: Access) => Seen;
  readonly wake: () => void;
  readonly tell: (counts: Counts) => void;
}

class Watch {
  readonly #parts: WatchParts;
  #access: Access;
  #changed = new Set<string>();
  /** What the caller knows of each type. */
  readonly #known = new Map<string, string>();
  #begun = false;
  #timer: Timer | undefined;
  #ended = false;

  constructor(access: Access, parts: WatchParts) {
    this.#access = access;
    this.#parts = parts;
  }

  note(ids: Iterable<string>): void {
    for (const id of ids) this.#changed.add(id);
  }

  accessChanged(access: Access): void {
    this.#access = access;
    this.note([...this.#known.keys(), ...this.#parts.typeIds()]);
    this.#parts.wake();
  }

  /** Looks at everything first. Then tells what differs, unless it did so a moment ago: that comes later. */
  *tell(): BackgroundSteps {
    if (!this.#begun) yield* this.#begin();
    if (this.#ended || this.#timer !== undefined || this.#changed.size === 0) return;
    const counts: Record<string, ItemCount> = {};
    const changed = this.#changed;
    this.#changed = new Set();
    for (const id of changed) {
      const { count, text } = this.#parts.see(id, this.#access);
      if (count !== "unread") {
        if (text !== (this.#known.get(id) ?? "")) counts[id] = count ?? { summary: {} };
        this.#known.set(id, text);
      }
      yield;
      if (this.#ended) return;
    }
    if (Object.keys(counts).length === 0) return;
    this.#timer = this.#parts.clock.after(pause, () => this.#again());
    this.#parts.tell(counts);
  }

  *#begin(): BackgroundSteps {
    this.#begun = true;
    for (const id of this.#parts.typeIds()) {
      this.#known.set(id, this.#parts.see(id, this.#access).text);
      yield;
      if (this.#ended) return;
    }
  }

  end(): void {
    this.#ended = true;
    this.#timer?.cancel();
  }

  #again(): void {
    this.#timer = undefined;
    this.#parts.wake();
  }
}

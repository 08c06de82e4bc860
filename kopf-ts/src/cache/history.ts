import { type ChangeType, compareResourceVersions } from "../watch/index.ts";
import type { Slabs } from "./slabs.ts";

/** How much of the past is kept; whichever is reached first. */
export interface HistoryLimits {
  readonly events: number;
  /** Of object states that are no longer the current ones; of a deleted object the last one counts, though the one before may be kept too. */
  readonly bytes: number;
}

/** What is kept when nobody says otherwise. Steve keeps 1,000 events too (steve: pkg/sqlcache). */
export const defaultHistory: HistoryLimits = { events: 1000, bytes: 4 * 1024 * 1024 };

/** A change of the past. */
export interface PastChange {
  readonly type: ChangeType;
  readonly key: string;
  readonly resourceVersion: string;
  /** After the change; the last state for DELETED. */
  readonly object: Buffer;
  /** Before the change; only for MODIFIED. */
  readonly previous: Buffer | undefined;
}

interface Entry {
  readonly type: ChangeType;
  readonly key: string;
  readonly resourceVersion: string;
  readonly object: number;
  readonly previous: number;
}

interface Kept extends Entry {
  /** The furthest revision up to here: an object that was replaced unseen is told as deleted with the revision it had. */
  readonly reached: string;
}

/**
 * The last changes, for readers that come back and ask what they missed. Bytes are those of the cache's own slabs: only states that were
 * replaced cost anything. Answers `undefined` (too old) rather than with a gap.
 */
export class History {
  readonly #slabs: Slabs;
  #limits: HistoryLimits;
  readonly #entries: Kept[] = [];
  #bytes = 0;
  /** Changes after it are complete; undefined before the first list. */
  #floor: string | undefined;

  constructor(slabs: Slabs, limits: HistoryLimits, floor: string | undefined) {
    this.#slabs = slabs;
    this.#limits = limits;
    this.#floor = floor;
  }

  get events(): number {
    return this.#entries.length;
  }

  /** Of states that are no longer the current ones. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Keeps at least that much from now on. */
  widen({ events, bytes }: HistoryLimits): void {
    this.#limits = {
      events: Math.max(events, this.#limits.events),
      bytes: Math.max(bytes, this.#limits.bytes),
    };
  }

  /** Takes references of its own to the handles; `previous` is -1 when there is none. */
  append(entry: Entry): void {
    this.#slabs.retain(entry.object);
    if (entry.previous >= 0) this.#slabs.retain(entry.previous);
    const last = this.#entries.at(-1)?.reached ?? entry.resourceVersion;
    const isFurther = compareResourceVersions(entry.resourceVersion, last) > 0;
    this.#entries.push({ ...entry, reached: isFurther ? entry.resourceVersion : last });
    this.#bytes += this.#costOf(entry);
    while (this.#entries.length > this.#limits.events || this.#bytes > this.#limits.bytes) {
      this.#floor = this.#dropFirst() ?? this.#floor;
    }
  }

  /** There is a gap: nothing before `resourceVersion` can be answered any more. */
  reset(resourceVersion: string | undefined): void {
    while (this.#entries.length > 0) this.#dropFirst();
    this.#floor = resourceVersion;
  }

  /** The changes after a resourceVersion, oldest first; undefined when they are no longer all known. Costs what they are, not what is kept. */
  since(resourceVersion: string): readonly PastChange[] | undefined {
    if (this.#floor === undefined) return undefined;
    if (compareResourceVersions(resourceVersion, this.#floor) < 0) return undefined;
    const isAfter = (at: string): boolean => compareResourceVersions(at, resourceVersion) > 0;
    const before = this.#entries.findLastIndex(({ reached }) => !isAfter(reached));
    const entries = this.#entries
      .slice(before + 1)
      .filter((entry) => isAfter(entry.resourceVersion));
    return entries.map(({ type, key, resourceVersion: at, object, previous }) => ({
      type,
      key,
      resourceVersion: at,
      object: this.#slabs.read(object),
      previous: previous < 0 ? undefined : this.#slabs.read(previous),
    }));
  }

  #dropFirst(): string | undefined {
    const entry = this.#entries.shift();
    if (entry === undefined) return undefined;
    this.#bytes -= this.#costOf(entry);
    this.#slabs.release(entry.object);
    if (entry.previous >= 0) this.#slabs.release(entry.previous);
    return entry.resourceVersion;
  }

  /** The current state of an object is kept anyway. */
  #costOf({ type, object, previous }: Entry): number {
    if (type === "DELETED") return this.#slabs.lengthOf(object);
    return previous < 0 ? 0 : this.#slabs.lengthOf(previous);
  }
}

/** The keys whose time has come, ordered by priority and by how long they have waited. */

import type { Entry } from "./entry.ts";
import { Lane } from "./lane.ts";

/** Emptied lanes beyond this many are dropped, so that a caller who invents priorities cannot fill the memory. */
const KEPT_LANES = 8;

/**
 * One lane per priority. Waiting counts: `ageing` milliseconds outweigh one step of priority, so an entry goes before everything that comes
 * later than `ageing` times the distance of their priorities, whatever the load.
 */
export class Lanes<K> {
  readonly #ageing: number;
  /** Highest priority first. */
  #lanes: Lane<K>[] = [];
  #size = 0;

  constructor(ageing: number) {
    this.#ageing = ageing;
  }

  get size(): number {
    return this.#size;
  }

  /** Puts an entry at the end of its lane; its age counts from `now`, so ages never grow towards the end of a lane. */
  push(entry: Entry<K>, now: number): void {
    entry.due = now;
    this.#laneFor(entry.priority).push(entry);
    this.#size += 1;
  }

  /** Moves a waiting entry to a higher priority, unless its age already counts for more than a fresh place there. */
  raise(entry: Entry<K>, priority: number, now: number): void {
    const { lane } = entry;
    entry.priority = priority;
    if (lane === undefined || this.#rank(now, priority) >= this.#rank(entry.due, lane.priority)) {
      return;
    }
    this.#leave(lane, entry);
    this.push(entry, now);
  }

  /** Takes out the entry whose turn it is. */
  take(): Entry<K> | undefined {
    const entry = this.#first();
    if (entry?.lane === undefined) return undefined;
    this.#leave(entry.lane, entry);
    return entry;
  }

  /** Takes out everything, in no particular order between lanes. */
  clear(): Entry<K>[] {
    const entries = this.#lanes.flatMap((lane) => [...lane]);
    this.#lanes = [];
    this.#size = 0;
    return entries;
  }

  /** How many wait at each priority. */
  *depths(): IterableIterator<readonly [priority: number, depth: number]> {
    for (const lane of this.#lanes) yield [lane.priority, lane.size];
  }

  #leave(lane: Lane<K>, entry: Entry<K>): void {
    lane.remove(entry);
    this.#size -= 1;
    if (lane.size > 0 || this.#lanes.length <= KEPT_LANES) return;
    this.#lanes = this.#lanes.filter((kept) => kept !== lane);
  }

  #first(): Entry<K> | undefined {
    let first: Entry<K> | undefined;
    let lowest = 0;
    for (const lane of this.#lanes) {
      const entry = lane.peek();
      if (entry === undefined) continue;
      const rank = this.#rank(entry.due, lane.priority);
      if (first !== undefined && rank >= lowest) continue;
      first = entry;
      lowest = rank;
    }
    return first;
  }

  /** The lower the sooner. Time cancels out of every comparison, so a rank never has to be updated. */
  #rank(due: number, priority: number): number {
    return due - priority * this.#ageing;
  }

  #laneFor(priority: number): Lane<K> {
    let at = 0;
    for (const lane of this.#lanes) {
      if (lane.priority === priority) return lane;
      if (lane.priority < priority) break;
      at += 1;
    }
    const lane = new Lane<K>(priority);
    this.#lanes.splice(at, 0, lane);
    return lane;
  }
}

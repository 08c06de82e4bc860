/** Answers and runs that are kept to be sent again, up to so many bytes. */

import type { Clock } from "kopf-ts";
import { LRUCache } from "lru-cache";
import type { Body } from "./body.ts";
import { Run } from "./run.ts";

/** When an answer is right as long as its key is the same: `from` and before `until`, in milliseconds since the Unix epoch, while `isStill`. */
export interface Freshness {
  readonly from: number;
  readonly until: number;
  /** Whether what it was read from beside its source is as it was; once it is not, it never is again. */
  readonly isStill: () => boolean;
}

/** Where something is kept. */
interface Place {
  readonly in: Map<string, Kept>;
  readonly question: string;
  /** What the question tells in part alone. */
  readonly of?: readonly string[] | undefined;
}

/** What is to be kept. */
interface Keeping extends Freshness {
  /** Where it is found; it leaves that when it goes. */
  readonly place: Place;
  readonly what: Body | Run;
  /** Whose bytes are among its own: they count for the run, if that is kept. */
  readonly among?: Run | undefined;
}

/** What is kept. */
export interface Kept extends Omit<Keeping, "among"> {
  /** In bytes, without what it shares with a run. */
  readonly size: number;
  /** Whose bytes are among its own. */
  readonly run: Kept | undefined;
  /** Those whose run it is: they go with it. */
  readonly sharers: Set<Kept>;
  /** In milliseconds of the monotonic clock. */
  usedAt: number;
  /** How often it was sent again. */
  uses: number;
}

/** What was not sent again for so long goes; milliseconds. */
const IDLE = 60_000;
/** How many are looked at to find those that can go. */
const mostLooks = 64;
/** Beside bytes and texts, in bytes. */
const overhead = 200;
/** To a text that is there in any case, in bytes. */
const reference = 8;

/** Answers and runs in the order in which they were used. */
export class KeptAnswers {
  readonly #clock: Pick<Clock, "now" | "monotonic">;
  readonly #all: LRUCache<Kept, true>;
  readonly #runs = new WeakMap<Run, Kept>();
  readonly #onSize: (bytes: number) => void;

  /** Of so many bytes at most, roughly; `onSize` is told how many they are. */
  constructor(
    clock: Pick<Clock, "now" | "monotonic">,
    bytes: number,
    onSize: (bytes: number) => void,
  ) {
    this.#clock = clock;
    this.#onSize = onSize;
    this.#all = new LRUCache({
      maxSize: Math.max(1, Math.floor(bytes)),
      disposeAfter: (_, kept) => this.#forget(kept), // which may drop others: not amid the drop of this one
    });
  }

  /** In bytes. */
  get size(): number {
    return this.#all.calculatedSize;
  }

  get maxSize(): number {
    return this.#all.maxSize;
  }

  /** Whether it is right now; it may never be again. */
  isRight({ from, until, isStill }: Kept): boolean {
    const now = this.#clock.now();
    return now >= from && now < until && isStill();
  }

  /** It is sent, and with it its run. */
  use(kept: Kept): void {
    kept.usedAt = this.#clock.monotonic();
    kept.uses++;
    this.#all.get(kept);
    if (kept.run !== undefined) this.use(kept.run);
  }

  /** Keeps it where there is room, when those go that were not sent for `spared` milliseconds; undefined where there is none. */
  keep({ among, ...keeping }: Keeping, spared: number): Kept | undefined {
    const run = among && this.#runs.get(among);
    const kept = this.#keptOf(keeping, run);
    if (!this.#makeRoom(kept.size, spared)) return undefined;
    if (run !== undefined && !this.#all.has(run)) return undefined; // went for the room
    this.#enter(kept);
    return kept;
  }

  /** Keeps a run in place of one that was the same but for its ages or how it is packed, if that is kept still, where there is room: it may be longer. */
  replace(before: Kept, run: Run): void {
    if (!this.#all.has(before)) return;
    this.drop(before);
    const { place, isStill } = before;
    const { from, until } = run;
    const kept = this.#keptOf({ place, what: run, from, until, isStill }, undefined);
    if (!this.#makeRoom(kept.size, 0)) return;
    this.#enter(kept);
    place.in.set(place.question, kept);
  }

  drop(kept: Kept): void {
    this.#all.delete(kept);
    this.#onSize(this.size);
  }

  /** Lets go of what nobody asked for in a minute, and of what is right no more. */
  dropIdle(): void {
    for (const kept of [...this.#oldest]) {
      if (this.#idleOf(kept) >= IDLE || this.#isOver(kept)) this.drop(kept);
    }
  }

  #keptOf(keeping: Omit<Keeping, "among">, run: Kept | undefined): Kept {
    const { what, place } = keeping;
    const found = place.question.length + reference * (place.of?.length ?? 0);
    const size = what.size - (run?.what.size ?? 0) + found + overhead;
    return { ...keeping, size, run, sharers: new Set(), usedAt: this.#clock.monotonic(), uses: 0 };
  }

  #enter(kept: Kept): void {
    const { what, run, size } = kept;
    what.hold();
    run?.sharers.add(kept);
    if (what instanceof Run) this.#runs.set(what, kept);
    this.#all.set(kept, true, { size });
    this.#onSize(this.size);
  }

  #forget(kept: Kept): void {
    const { place, what, run, sharers } = kept;
    place.in.delete(place.question);
    run?.sharers.delete(kept);
    if (what instanceof Run) this.#runs.delete(what);
    what.release();
    for (const sharer of [...sharers]) this.drop(sharer);
  }

  /** Whether so many bytes more fit, when those go that were not sent for `spared` milliseconds; else none of them does. */
  #makeRoom(size: number, spared: number): boolean {
    let missing = this.size + size - this.maxSize;
    const going: Kept[] = [];
    let looks = mostLooks;
    for (const kept of this.#oldest) {
      if (missing <= 0 || looks-- === 0) break;
      if (this.#idleOf(kept) < spared && !this.#isOver(kept)) continue;
      going.push(kept);
      missing -= kept.size;
    }
    if (missing > 0) return false;
    for (const kept of going) this.drop(kept);
    return true;
  }

  /** A run can be made right again when its time alone is over. */
  #isOver({ what, until, isStill }: Kept): boolean {
    return (!(what instanceof Run) && this.#clock.now() >= until) || !isStill();
  }

  /** Who was used longest ago is first. */
  get #oldest(): Iterable<Kept> {
    return this.#all.rkeys();
  }

  #idleOf({ usedAt }: Kept): number {
    return this.#clock.monotonic() - usedAt;
  }
}

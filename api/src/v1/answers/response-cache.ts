/** A cache of responses, and of the items in them, for who asks again while nothing has changed: the same person, or all who may see the same. */

import type { Clock, Counter, Family, Gauge, Metrics } from "kopf-ts";
import { LRUCache } from "lru-cache";
import { AskedQuestions } from "./asked.ts";
import { Body } from "./body.ts";
import { Run } from "./run.ts";

/** What tells a response from all others. */
export interface ResponseKey {
  /** What it is read from. */
  readonly source: object;
  /** Of the source and all else that is not asked for, but told: another text after each change of it. */
  readonly state: string;
  /** What is asked for, in which form, and all that follows from who asks. */
  readonly question: string;
}

/** When an answer is right as long as its key is the same: `from` and before `until`, in milliseconds since the Unix epoch, while `isStill`. */
export interface Freshness {
  readonly from: number;
  readonly until: number;
  /** Whether what it was read from beside its source is as it was; once it is not, it never is again. */
  readonly isStill: () => boolean;
}

/** What a ResponseCache is made with. */
export interface ResponseCacheParts {
  readonly clock: Pick<Clock, "now" | "monotonic" | "sleep">;
  /** That bodies may take, roughly. */
  readonly bytes: number;
  readonly metrics?: Metrics | undefined;
}

const families = {
  bytes: {
    name: "drover_api_response_cache_bytes",
    help: "Bytes of responses that are kept to be sent again",
    labels: [],
  },
  hits: {
    name: "drover_api_response_cache_hits_total",
    help: "Responses that were sent again as they were",
    labels: [],
  },
  runs: {
    name: "drover_api_response_cache_run_hits_total",
    help: "Responses around items that were put together before",
    labels: [],
  },
} as const satisfies Readonly<Record<string, Family>>;

/** What was kept or sent again so lately is pushed out, while it is right, only by what is asked for more often; milliseconds. */
const LATELY = 15_000;
/** Not even by that: hundreds may ask for the same at once; milliseconds. */
const NOW = 100;
/** What was not sent again for so long goes; milliseconds. */
const IDLE = 60_000;
const LOOK = 15_000;
/** How many bodies are looked at to find those that can go. */
const mostLooks = 64;
/** Responses of more bytes are made anew: few of them would push out many. */
const largest = 4 * 1024 * 1024;

/** What is kept of one question. */
interface Entry extends Freshness {
  readonly shelf: Shelf;
  readonly question: string;
  readonly what: Body | Run;
  /** That it counts for: what it shares with a run counts for that one. */
  readonly size: number;
  /** Whose bytes are among its own, while that is kept. */
  readonly run: Entry | undefined;
  /** Those whose run it is: they go with it. */
  readonly sharers: Set<Entry>;
  usedAt: number;
}

/** What is kept of one source in one state. */
interface Shelf {
  state: string;
  readonly kept: Map<string, Entry>;
}

/**
 * Keeps bodies that were asked for twice in one state of what they tell of, to send them again: whoever follows changes asks anew after each, and all who may see the same ask
 * for the same. Bounded by bytes: somebody who walks through more than fits does not push out what is in use, what is asked for more often does.
 */
export class ResponseCache {
  readonly #clock: ResponseCacheParts["clock"];
  readonly #size: Gauge | undefined;
  readonly #hits: Counter | undefined;
  readonly #runHits: Counter | undefined;
  readonly #shelves = new WeakMap<object, Shelf>();
  readonly #kept: LRUCache<Entry, true>;
  readonly #runs = new WeakMap<Run, Entry>();
  readonly #asked = new AskedQuestions();

  constructor({ clock, bytes, metrics }: ResponseCacheParts) {
    this.#clock = clock;
    this.#size = metrics?.gauge(families.bytes).with();
    this.#hits = metrics?.counter(families.hits).with();
    this.#runHits = metrics?.counter(families.runs).with();
    this.#kept = new LRUCache({
      maxSize: Math.max(1, Math.floor(bytes)),
      dispose: (_, kept) => this.#forget(kept),
    });
  }

  /** That bodies and runs take, and what they are found by. */
  get size(): number {
    return this.#kept.calculatedSize;
  }

  /** Lets go of what nobody asks for any more, until the signal aborts. */
  async start(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#dropIdle();
      await this.#clock.sleep(LOOK, signal).catch(() => undefined);
    }
  }

  /** The answer, if it is there and still right; whoever sends it has to hold it before anybody else has a turn. */
  find(key: ResponseKey): Body | undefined {
    const what = this.#find(key)?.what;
    if (!(what instanceof Body)) return undefined;
    this.#hits?.inc();
    return what;
  }

  /**
   * The same for items: a key of theirs has a source of its own. It is held for who asks. Where nothing but its time is over, `renew` makes another one of it, which is held by whom it makes it for;
   * undefined where it cannot.
   */
  findRun(key: ResponseKey, renew: (run: Run) => Run | undefined): Run | undefined {
    const kept = this.#shelfOf(key.source, key.state).kept.get(key.question);
    if (kept === undefined || !(kept.what instanceof Run)) return undefined;
    const run = kept.isStill() ? this.#current(kept, kept.what, renew) : undefined;
    if (run === undefined) this.#drop(kept);
    else this.#runHits?.inc();
    return run;
  }

  #current(kept: Entry, run: Run, renew: (run: Run) => Run | undefined): Run | undefined {
    if (this.#isTimeOf(kept)) {
      this.#use(kept);
      run.hold();
      return run;
    }
    const next = renew(run);
    if (next !== undefined) this.#replace(kept, next);
    return next;
  }

  #replace(kept: Entry, run: Run): void {
    this.#drop(kept);
    const { from, until } = run;
    const [usedAt, sharers] = [this.#clock.monotonic(), new Set<Entry>()];
    this.#enter({ ...kept, from, until, what: run, sharers, usedAt });
  }

  /** How many bytes the answer had when it was asked for before in this state; undefined for the first time. */
  lengthOf({ state, question }: ResponseKey): number | undefined {
    return this.#asked.find(question, state)?.length;
  }

  /** An answer of so many bytes was sent, which was not found. */
  note({ state, question }: ResponseKey, length: number): void {
    this.#asked.enter(question, state, { at: this.#clock.monotonic(), length });
  }

  /** Whether an answer is worth keeping: it was asked for before, in this state, and is not too large. */
  wants(key: ResponseKey): boolean {
    const most = Math.min(largest, this.#kept.maxSize);
    return (this.lengthOf(key) ?? Number.POSITIVE_INFINITY) <= most;
  }

  /** Keeps an answer that was sent, or the run of one, if there is room; it may have been made while the state went on. The run among an answer, if that is kept, takes no room of it. */
  keep(key: ResponseKey, what: Body | Run, fresh: Freshness, among?: Run): void {
    const { source, state, question } = key;
    const shelf = this.#shelves.get(source);
    if (shelf?.state !== state || fresh.from >= fresh.until || !fresh.isStill()) return;
    const before = shelf.kept.get(question);
    if (before !== undefined) this.#drop(before);
    const run = among && this.#runs.get(among);
    const size = what.size - (run?.what.size ?? 0) + question.length + overhead;
    if (!this.#makeRoom(size, this.#sparedBy(key))) return;
    this.#enter({
      ...fresh,
      ...{ shelf, question, what, size, run, sharers: new Set() },
      usedAt: this.#clock.monotonic(),
    });
  }

  #enter(kept: Entry): void {
    const { shelf, question, what, size, run } = kept;
    if (run !== undefined && !this.#kept.has(run)) return; // went for the room
    what.hold();
    run?.sharers.add(kept);
    if (what instanceof Run) this.#runs.set(what, kept);
    shelf.kept.set(question, kept);
    this.#kept.set(kept, true, { size });
    this.#size?.set(this.size);
  }

  #find({ source, state, question }: ResponseKey): Entry | undefined {
    const kept = this.#shelfOf(source, state).kept.get(question);
    if (kept === undefined) return undefined;
    if (!this.#isTimeOf(kept) || this.#isOver(kept)) {
      this.#drop(kept);
      return undefined;
    }
    this.#use(kept);
    if (kept.run !== undefined) this.#use(kept.run);
    return kept;
  }

  #use(kept: Entry): void {
    kept.usedAt = this.#clock.monotonic();
    this.#kept.get(kept);
  }

  /** What was kept in another state is of no use any more. */
  #shelfOf(source: object, state: string): Shelf {
    const shelf = this.#shelves.get(source) ?? { state, kept: new Map() };
    this.#shelves.set(source, shelf);
    if (shelf.state === state) return shelf;
    for (const kept of [...shelf.kept.values()]) this.#drop(kept);
    shelf.state = state;
    return shelf;
  }

  /**
   * How lately others must have been sent for a question not to push them out: twice the time after which it was asked again. Somebody who walks through more than fits, again and
   * again, asks for all of it equally often, and finds what is kept sent not as long ago as that.
   */
  #sparedBy({ question, state }: ResponseKey): number {
    const asked = this.#asked.find(question, state);
    const since = asked === undefined ? LATELY : this.#clock.monotonic() - asked.at;
    return Math.min(LATELY, Math.max(NOW, 2 * since));
  }

  /** Whether so many bytes more fit, when those go that were not sent for `spared` milliseconds; else none of them does. */
  #makeRoom(size: number, spared: number): boolean {
    let missing = this.size + size - this.#kept.maxSize;
    const going: Entry[] = [];
    let looks = mostLooks;
    for (const kept of this.#oldest) {
      if (missing <= 0 || looks-- === 0) break;
      if (this.#idleOf(kept) < spared && !this.#isOver(kept)) continue;
      going.push(kept);
      missing -= kept.size;
    }
    if (missing > 0) return false;
    for (const kept of going) this.#drop(kept);
    return true;
  }

  #dropIdle(): void {
    for (const kept of [...this.#oldest]) {
      if (this.#idleOf(kept) >= IDLE || this.#isOver(kept)) this.#drop(kept);
    }
  }

  #isTimeOf({ from, until }: Entry): boolean {
    const now = this.#clock.now();
    return now >= from && now < until;
  }

  #isOver({ until, isStill }: Entry): boolean {
    return this.#clock.now() >= until || !isStill();
  }

  /** Who was used longest ago is first. */
  get #oldest(): Iterable<Entry> {
    return this.#kept.rkeys();
  }

  #idleOf({ usedAt }: Entry): number {
    return this.#clock.monotonic() - usedAt;
  }

  #drop(kept: Entry): void {
    this.#kept.delete(kept);
    this.#size?.set(this.size);
  }

  #forget(kept: Entry): void {
    const { shelf, question, what, run, sharers } = kept;
    shelf.kept.delete(question);
    run?.sharers.delete(kept);
    if (what instanceof Run) this.#runs.delete(what);
    what.release();
    for (const sharer of [...sharers]) this.#drop(sharer);
  }
}

/** Beside texts, in bytes. */
const overhead = 200;

/** A cache of responses, and of the items in them, for who asks again while nothing has changed: the same person, or all who may see the same. */

import type { Clock, Counter, Family, Metrics } from "kopf-ts";
import { AskedQuestions } from "./asked.ts";
import { Body } from "./body.ts";
import { type Freshness, type Kept, KeptAnswers } from "./kept-answers.ts";
import { Repacking } from "./repacking.ts";
import { Run } from "./run.ts";

/** What tells a response from all others. */
export interface ResponseKey {
  /** What it is read from. */
  readonly source: object;
  /** Of the source and all else that is not asked for, but told: another text after each change of it. */
  readonly state: string;
  /** What is asked for, in which form, and all that follows from who asks. */
  readonly question: string;
  /** What the question tells in part alone: of others it is another question. */
  readonly of?: readonly string[] | undefined;
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
/** From one look for what nobody asks for any more to the next; milliseconds. */
const LOOK = 15_000;
/** Responses of more bytes are made anew: few of them would push out many. */
const largest = 4 * 1024 * 1024;

/** What is kept of one source in one state. */
interface Shelf {
  state: string;
  readonly kept: Map<string, Kept>;
}

/**
 * Keeps bodies that were asked for twice in one state of what they tell of, to send them again, and runs of items, to put bodies around them: whoever follows changes asks anew after each, and all
 * who may see the same ask for the same. Bounded by bytes: somebody who walks through more than fits does not push out what is in use, what is asked for more often does.
 */
export class ResponseCache {
  readonly #clock: ResponseCacheParts["clock"];
  readonly #hits: Counter | undefined;
  readonly #runHits: Counter | undefined;
  readonly #shelves = new WeakMap<object, Shelf>();
  readonly #kept: KeptAnswers;
  readonly #repacking: Repacking;
  readonly #asked = new AskedQuestions();

  constructor({ clock, bytes, metrics }: ResponseCacheParts) {
    const size = metrics?.gauge(families.bytes).with();
    this.#clock = clock;
    this.#hits = metrics?.counter(families.hits).with();
    this.#runHits = metrics?.counter(families.runs).with();
    this.#kept = new KeptAnswers(clock, bytes, (taken) => size?.set(taken));
    this.#repacking = new Repacking(this.#kept, metrics);
  }

  /** That bodies and runs take, and what they are found by. */
  get size(): number {
    return this.#kept.size;
  }

  /** Lets go of what nobody asks for any more, until the signal aborts. */
  async start(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#kept.dropIdle();
      await this.#clock.sleep(LOOK, signal).catch(() => undefined);
    }
  }

  /** The answer, if it is there and still right; whoever sends it has to hold it before anybody else has a turn. */
  find(key: ResponseKey): Body | undefined {
    const kept = this.#at(key);
    if (!(kept?.what instanceof Body)) return undefined;
    if (!this.#kept.isRight(kept)) {
      this.#kept.drop(kept);
      return undefined;
    }
    this.#use(kept);
    this.#hits?.inc();
    return kept.what;
  }

  /**
   * The same for items: a key of theirs has a source of its own. It is held for who asks. Where nothing but its time is over, `renew` makes another one of it, which is held by whom it makes it for;
   * undefined where it cannot.
   */
  findRun(key: ResponseKey, renew: (run: Run) => Run | undefined): Run | undefined {
    const kept = this.#at(key);
    if (!(kept?.what instanceof Run)) return undefined;
    const run = kept.isStill() ? this.#current(kept, kept.what, renew) : undefined;
    if (run === undefined) this.#kept.drop(kept);
    else this.#runHits?.inc();
    return run;
  }

  #current(kept: Kept, run: Run, renew: (run: Run) => Run | undefined): Run | undefined {
    if (this.#kept.isRight(kept)) {
      this.#use(kept);
      run.hold();
      return run;
    }
    const next = renew(run);
    if (next !== undefined) this.#kept.replace(kept, next);
    return next;
  }

  #use(kept: Kept): void {
    this.#kept.use(kept);
    this.#repacking.look(kept.run ?? kept);
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
    const { source, state, question, of } = key;
    const shelf = this.#shelves.get(source);
    if (shelf?.state !== state || fresh.from >= fresh.until || !fresh.isStill()) return;
    const before = shelf.kept.get(question);
    if (before !== undefined) this.#kept.drop(before);
    const place = { in: shelf.kept, question, of };
    const kept = this.#kept.keep({ ...fresh, place, what, among }, this.#sparedBy(key));
    if (kept !== undefined) shelf.kept.set(question, kept);
  }

  #at({ source, state, question, of }: ResponseKey): Kept | undefined {
    const kept = this.#shelfOf(source, state).kept.get(question);
    return kept !== undefined && areSame(kept.place.of, of) ? kept : undefined;
  }

  /** What was kept in another state is of no use any more. */
  #shelfOf(source: object, state: string): Shelf {
    const shelf = this.#shelves.get(source) ?? { state, kept: new Map() };
    this.#shelves.set(source, shelf);
    if (shelf.state === state) return shelf;
    for (const kept of [...shelf.kept.values()]) this.#kept.drop(kept);
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
}

function areSame(some: readonly string[] = [], others: readonly string[] = []): boolean {
  return some.length === others.length && some.every((each, index) => each === others[index]);
}

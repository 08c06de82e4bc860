import type { Clock } from "../base/index.ts";

/** Milliseconds of work in one turn of the event loop; timers, sockets and leases get theirs after it. */
const SLICE = 10;
/** Keys that are begun in one turn and wait for something: what they have set going also takes its time before the turn is over. */
const MOST = 16;

/**
 * Spreads the work of a controller over turns of the event loop, which it would otherwise hold up: by workers that never wait for anything for as long as
 * keys wait, and by hundreds that all begin at once. Before each key:
 * `while (!pace.hasRoom) await pace.rest()`, then at once `begin`.
 */
export class Pace {
  readonly #clock: Clock;
  /** When the turn began in which somebody looked last; NaN: another one. */
  #began = Number.NaN;
  #turn = 0;
  /** Keys that were begun in this turn and have not ended. */
  #open = 0;
  #resting: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether another key may begin in this turn. */
  get hasRoom(): boolean {
    if (Number.isNaN(this.#began)) this.#look();
    return this.#open < MOST && this.#clock.monotonic() - this.#began <= SLICE;
  }

  /** Resolves in the next turn, in which others may have been faster. */
  rest(): Promise<void> {
    return new Promise((resolve) => {
      this.#resting.push(resolve);
    });
  }

  /** A key begins; the answer is for `end`. */
  begin(): number {
    this.#open += 1;
    return this.#turn;
  }

  /** A key has ended that was begun in the turn. */
  end(turn: number): void {
    if (turn === this.#turn) this.#open -= 1;
  }

  #look(): void {
    this.#began = this.#clock.monotonic();
    this.#turn += 1;
    this.#open = 0;
    setImmediate(() => this.#over());
  }

  #over(): void {
    this.#began = Number.NaN;
    const resting = this.#resting;
    this.#resting = [];
    for (const resolve of resting) resolve();
  }
}

/** Work that a cron setting begins and that touches many objects. */

import { done, type Result, requeueAfter, requeueAt } from "kopf-ts";
import { nextCronTime } from "./cron.ts";

/** Options of Rounds. */
export interface RoundsOptions {
  /** Keys per second; 50 unless told. */
  readonly perSecond?: number;
}

/** What to do now, and when to ask again. */
export interface Turn {
  readonly keys: readonly string[];
  /** These are the first of their round. */
  readonly first: boolean;
  /** These are the last of their round. */
  readonly last: boolean;
  /** What a reconciler answers. */
  readonly next: Result;
}

/** Milliseconds between two turns of a round. */
const pause = 1_000;

/**
 * Deals out the keys of one round after another, a few per second. A round begins when the expression names a time; one that
 * comes due while another is going on is left out. Nothing is kept across restarts: a time that passed while no process ran is not made up for.
 */
export class Rounds {
  readonly #perTurn: number;
  #expression = "";
  #due: number | undefined;
  #left: string[] | undefined;

  constructor({ perSecond = 50 }: RoundsOptions = {}) {
    this.#perTurn = perSecond;
  }

  /** The turn at wall time `now`. `all` is asked for the keys when a round begins; an expression that is empty ends the one that is going on. */
  turn(expression: string, now: number, all: () => Iterable<string>): Turn {
    if (expression !== this.#expression) this.#follow(expression, now);
    const first = this.#left === undefined && this.#due !== undefined && now >= this.#due;
    if (first) {
      this.#left = [...all()];
      this.#due = nextCronTime(expression, now);
    }
    const keys = this.#left?.splice(0, this.#perTurn) ?? [];
    const last = this.#left?.length === 0;
    if (last) this.#left = undefined;
    return { keys, first, last, next: this.#next() };
  }

  #follow(expression: string, now: number): void {
    this.#expression = expression;
    this.#due = nextCronTime(expression, now);
    if (expression === "") this.#left = undefined;
  }

  #next(): Result {
    if (this.#left !== undefined) return requeueAfter(pause);
    return this.#due === undefined ? done : requeueAt(this.#due);
  }
}

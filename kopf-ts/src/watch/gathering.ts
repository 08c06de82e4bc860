import type { Clock, Timer } from "../base/index.ts";
import type { Pausable } from "./turns.ts";

/** Milliseconds for which changes may gather, asked anew whenever some have come; 0 to read them at once. */
export type GatherTime = () => number;

/**
 * Lets what a stream brings gather, so that changes that come one by one are worked off together: with one wake-up, and hot caches. What comes after a silence is read
 * at once; then nothing is read for a while, and the connection holds what comes; then all of it is, until there is silence again. So a stream that brings much is not
 * held up.
 */
export class Gathering implements Disposable {
  readonly #stream: Pausable;
  readonly #clock: Clock;
  readonly #time: GatherTime;
  /** Everything that came was read: what comes next begins to gather. */
  #isDry = true;
  /** Something was read in this turn of the event loop. */
  #hasRead = false;
  #turn: NodeJS.Immediate | undefined;
  #waiting: Timer | undefined;
  #isOver = false;

  constructor(stream: Pausable, clock: Clock, time: GatherTime) {
    this.#stream = stream;
    this.#clock = clock;
    this.#time = time;
  }

  /** Tells that a chunk has come, before it is through with: only then a stream can be held up behind it. */
  read(): void {
    if (this.#waiting !== undefined) return;
    if (!this.#isDry) {
      this.#hasRead = true;
      return;
    }
    const time = this.#time();
    if (time <= 0) return;
    this.#isDry = false;
    this.#stream.pause();
    this.#waiting = this.#clock.after(time, () => this.hurry());
  }

  /** Reads on in the next turn, and not before it returns. */
  hurry(): void {
    if (this.#waiting === undefined) return;
    this.#waiting.cancel();
    this.#waiting = undefined;
    this.#turn = setImmediate(() => this.#resume());
  }

  /** Waits no more; the stream stays as it is. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    clearImmediate(this.#turn);
    this.#waiting?.cancel();
  }

  #resume(): void {
    this.#stream.resume();
    this.#hasRead = true; // what a socket has comes in the next turn
    this.#untilDry();
  }

  #untilDry(): void {
    this.#isDry = !this.#hasRead;
    this.#hasRead = false;
    if (!this.#isDry && !this.#isOver) this.#turn = setImmediate(() => this.#untilDry());
  }
}

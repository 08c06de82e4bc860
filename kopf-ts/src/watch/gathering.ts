import type { Clock, Timer } from "../base/index.ts";
import type { Pausable } from "./turns.ts";

/** Milliseconds for which changes may gather, asked anew whenever some have come; 0 to read them at once. */
export type GatherTime = () => number;

/**
 * Lets what a stream brings gather, so that changes that come one by one, but soon after each other, are worked off together, with hot caches. The first of them is read at
 * once; then nothing is read for a while, and socket and connection hold what comes; then all of it is, until a turn of the event loop brings nothing. So a stream that
 * brings much without a break is not held up, and neither is a change that comes alone.
 */
export class Gathering implements Disposable {
  readonly #stream: Pausable;
  readonly #clock: Clock;
  readonly #time: GatherTime;
  /** Everything that came was read. */
  #isDry = true;
  /** When (monotonic) something came last. */
  #came = Number.NEGATIVE_INFINITY;
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

  /**
   * Tells that a chunk has come, before it is through with: only then a stream can be held up behind it. `isWhole` says whether it has ended an event: else that
   * would be told late.
   */
  read(isWhole: boolean): void {
    const now = this.#clock.monotonic();
    const silence = now - this.#came;
    this.#came = now;
    if (this.#waiting !== undefined) return;
    this.#hasRead = true;
    const time = this.#isDry && isWhole ? this.#time() : 0;
    if (silence < time) this.#wait(time);
  }

  /** Reads on in the next turn, and not before it returns. */
  hurry(): void {
    if (this.#waiting === undefined || this.#isOver) return;
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

  #wait(time: number): void {
    this.#isDry = false;
    this.#stream.pause();
    this.#waiting = this.#clock.after(time, () => this.hurry());
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

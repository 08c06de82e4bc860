/** Notifications at a bearable pace. */

import type { Clock, Timer } from "kopf-ts";

/** Sends a notification; false when that is not possible now. */
export type SendRevision = (revision: string) => boolean;

/** Sends the first revision at once, and from then on at most one per interval, the newest. None is lost: the last one told is sent in the end. */
export class Debounce implements Disposable {
  readonly #clock: Pick<Clock, "monotonic" | "after">;
  readonly #interval: number;
  readonly #send: SendRevision;
  #due = Number.NEGATIVE_INFINITY;
  #newest: string | undefined;
  #timer: Timer | undefined;

  /** `interval` in milliseconds. */
  constructor(clock: Pick<Clock, "monotonic" | "after">, interval: number, send: SendRevision) {
    this.#clock = clock;
    this.#interval = interval;
    this.#send = send;
  }

  /** There is something new, up to this revision. */
  tell(revision: string): void {
    this.#newest = revision;
    if (this.#timer === undefined) this.#sendOrWait();
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#newest = undefined;
  }

  #sendOrWait(): void {
    if (this.#newest === undefined) return;
    const now = this.#clock.monotonic();
    if (now >= this.#due) {
      this.#due = now + this.#interval;
      if (this.#send(this.#newest)) {
        this.#newest = undefined;
        return;
      }
    }
    this.#timer = this.#clock.after(this.#due - now, () => {
      this.#timer = undefined;
      this.#sendOrWait();
    });
  }
}

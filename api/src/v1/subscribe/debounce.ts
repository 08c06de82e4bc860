/** Notifications at a bearable pace. */

import type { Clock, Timer } from "kopf-ts";
import type { Outlet } from "./connection.ts";
import { plainEvent } from "./events.ts";
import { Frame } from "./frame.ts";
import type { Message } from "./message.ts";

/** Where notifications go. */
export interface RevisionSink {
  /** Whether they have to wait: the subscriber does not read. */
  readonly isFull: boolean;
  send(revision: string): void;
}

/** Hears that there is something new, for subscribers who want to know no more. */
export interface Notifier extends Disposable {
  /** There is something new, up to this revision; a function is asked for it when it is sent. */
  tell(revision: string | (() => string)): void;
  /**
   * The same for the last time: it is sent at once, also to who does not read, like the end that follows it. So it comes before that, and nothing of the watch has to
   * stay; it is no more than one short message per watch.
   */
  tellLast(revision: string): void;
  /** The same for what waits, if anything does. */
  tellRest(): void;
}

/** Between two notifications, unless the subscriber says otherwise; milliseconds. */
const usualDebounce = 5_000;

/** Notifies of what a message subscribes to; undefined for those who want whole objects. */
export function notifierFor(
  message: Message,
  outlet: Outlet,
  clock: Pick<Clock, "monotonic" | "after">,
): Notifier | undefined {
  if (message.mode === "") return undefined;
  return new Debounce(clock, message.debounceMs || usualDebounce, {
    get isFull() {
      return outlet.isFull;
    },
    send: (revision) => outlet.send(new Frame(plainEvent("resource.changes", message, revision))),
  });
}

/** Sends the first revision at once, and from then on at most one per interval, the newest. None is lost: the last one told is sent in the end. */
export class Debounce implements Notifier {
  readonly #clock: Pick<Clock, "monotonic" | "after">;
  readonly #interval: number;
  readonly #sink: RevisionSink;
  #due = Number.NEGATIVE_INFINITY;
  #newest: string | (() => string) | undefined;
  #timer: Timer | undefined;

  /** `interval` in milliseconds. */
  constructor(clock: Pick<Clock, "monotonic" | "after">, interval: number, sink: RevisionSink) {
    this.#clock = clock;
    this.#interval = interval;
    this.#sink = sink;
  }

  tell(revision: string | (() => string)): void {
    this.#newest = revision;
    if (this.#timer === undefined) this.#sendOrWait();
  }

  tellLast(revision: string): void {
    this[Symbol.dispose]();
    this.#sink.send(revision);
  }

  tellRest(): void {
    if (this.#newest !== undefined) this.tellLast(revisionOf(this.#newest));
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
      if (!this.#sink.isFull) {
        this.#sink.send(revisionOf(this.#newest));
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

function revisionOf(newest: string | (() => string)): string {
  return typeof newest === "string" ? newest : newest();
}

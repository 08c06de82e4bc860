/** Large answers, one behind the other. */

import type { ServerResponse } from "node:http";
import { room } from "./body.ts";
import { Departures } from "./departures.ts";

/** Bytes of an answer that is worth a turn of its own: a page of 270 KB costs a twelfth less without. */
const large = 512 * 1024;

/** Turns of the event loop that one has to write in; others need not wait longer. */
const patience = 5;

/**
 * Lets one large answer be made and handed to its connection before the next is, in a turn of the event loop of its own; what pieces of it are left go out beside the next. A page of 1 MB is
 * copied three times and encrypted: one behind the other they do that in the same room, within the processor's caches, while ten at once would each take a fifth longer, and all end with the last. How fast somebody reads holds up nobody.
 */
export class Lane {
  readonly #waiting: (() => void)[] = [];
  readonly #departures = new Departures();
  #isTaken = false;

  /**
   * Waits until those before have been handed to their connections, or have not been for five turns, and tells whether there were any. Who has entered writes at once, as long as that takes no more than a slice.
   * Answers that are small, or go out in parts, need no lane. Rejects with the signal's reason.
   */
  async enter(response: ServerResponse, bytes: number, signal: AbortSignal): Promise<boolean> {
    if (bytes < large || bytes > room) return false;
    const waits = this.#isTaken;
    if (waits) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
    this.#leaveAfter(response);
    signal.throwIfAborted();
    return waits;
  }

  /** Waits with an answer whose bytes are there: a small one goes together with others, before the event loop waits again; a larger one as it enters. Rejects with the signal's reason. */
  async depart(response: ServerResponse, bytes: number, signal: AbortSignal): Promise<void> {
    if (bytes < large) await this.#departures.next(bytes, signal);
    else await this.enter(response, bytes, signal);
  }

  #leaveAfter(response: ServerResponse): void {
    let left = patience;
    const look = (): void => {
      left -= 1;
      if (left > 0 && !response.writableEnded && !response.destroyed) setImmediate(look);
      else this.#next();
    };
    setImmediate(look);
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}

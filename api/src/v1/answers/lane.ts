/** Large answers, one behind the other. */

import type { ServerResponse } from "node:http";
import { room } from "./body.ts";

/** Bytes of an answer that are worth waiting for others. */
const large = 256 * 1024;

/** Turns of the event loop after which others need not wait longer for somebody who reads slowly. */
const patience = 4;

/**
 * Lets one large answer be written and go to its connection before the next is written. A page of 1 MB is copied three times and encrypted: one behind the other they do that in
 * the same room, within the processor's caches, while ten at once would each take a fifth longer, and all end with the last.
 */
export class Lane {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /**
   * Waits until those before have gone, or are not read at once, and tells whether there were any. Who has entered writes at once, as long as that takes no more than a slice.
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

  #leaveAfter(response: ServerResponse): void {
    let left = patience;
    const look = (): void => {
      if (left-- > 0 && !response.writableFinished && !response.destroyed) setImmediate(look);
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

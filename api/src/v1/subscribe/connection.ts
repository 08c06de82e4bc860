/** The sending side of a websocket, bounded in bytes. */

import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Frame } from "./frame.ts";

/** Bytes that may wait for a subscriber to read; then objects wait until they have read all. */
const soft = 1 << 20;
/** With so many the subscriber has stopped to read, and only asks: the connection ends. */
const hard = 4 << 20;

/** Close codes (RFC 6455, 7.4.1). */
export const closeCodes = { goingAway: 1001, policy: 1008, tryAgainLater: 1013 } as const;

/** Where watches say what they have to. */
export interface Outlet {
  /** Whether objects have to wait for `whenDrained`. */
  readonly isFull: boolean;
  send(frame: Frame): void;
  /** Calls back once, when everything was read; never when the connection ends before. */
  whenDrained(listener: () => void): void;
}

/**
 * Writes frames that were made once onto the socket of one websocket. `ws` itself only ever sends control frames, which it writes at once, so both keep their order.
 * What a subscriber does not read never takes more than some megabytes, and those are shared among subscribers.
 */
export class Connection implements Outlet {
  readonly #ws: WebSocket;
  readonly #socket: Duplex;
  readonly #packs: boolean;
  #waiting: (() => void)[] = [];

  constructor(ws: WebSocket, socket: Duplex) {
    this.#ws = ws;
    this.#socket = socket;
    this.#packs = ws.extensions.includes("permessage-deflate");
  }

  get isOpen(): boolean {
    return this.#ws.readyState === this.#ws.OPEN && !this.#socket.destroyed;
  }

  get isFull(): boolean {
    return this.#socket.writableLength >= soft;
  }

  send(frame: Frame): void {
    if (!this.isOpen) return;
    this.#socket.write(this.#packs ? frame.packed : frame.plain);
    if (this.#socket.writableLength > hard) {
      this.close(closeCodes.tryAgainLater, "the subscriber does not read");
      this.#ws.terminate(); // it would not read the close frame either
    }
  }

  whenDrained(listener: () => void): void {
    if (this.#waiting.push(listener) > 1) return;
    this.#socket.once("drain", () => {
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const each of waiting) each();
    });
  }

  /** Asks the other side to end; whoever does not is cut off after 30 s, or when the server has stopped. */
  close(code: number, reason: string): void {
    if (this.#ws.readyState === this.#ws.OPEN) this.#ws.close(code, reason);
  }
}

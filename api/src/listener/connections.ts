/** What is open, and how it ends when the listener closes. */

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock } from "kopf-ts";
import { Bag } from "./bag.ts";
import { overWithConnection, responseOn } from "./over.ts";

/** Requests that one connection may have sent before the first of them is answered; clients of today send one. */
const mostAhead = 16;

/**
 * Connections and requests of one server. Guarantees of `close`: nothing new is accepted, idle connections end, every request in work gets
 * the grace and its connection ends behind it; then everything is cut, upgraded connections and unfinished handshakes too.
 */
export class Connections {
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  readonly #working = new Bag<ServerResponse>();
  /** Responses of a connection that have not ended. */
  readonly #ahead = new WeakMap<Duplex, Bag<ServerResponse>>();
  /** Those of which nothing more can be read, while answers are still to be sent. */
  readonly #ending = new WeakSet<Duplex>();
  /** Those whose last request has come. */
  readonly #last = new WeakSet<Duplex>();
  #closing = false;

  /** Whoever has something to read may do nothing for `longestStall` milliseconds. */
  constructor(server: Server, longestStall: number) {
    this.#server = server;
    server.on("connection", (socket: Duplex) => this.#keep(socket));
    // Without a listener node:http would cut off whoever is silent, and watches are; with one it leaves to it those whose keepAliveTimeout is over as well.
    server.setTimeout(longestStall, (socket) => this.#stalled(socket));
  }

  /**
   * Whether a request is to be answered at all; then it is entered. A thousand small ones fit into what is read from a connection at once, and all of them would be begun at that
   * moment: whoever sends so many ahead is cut off. Behind a request that asks for another protocol, and is answered as if it did not, node:http loses what came with it, and takes
   * what comes later for the beginning of a request: it is the last one of its connection.
   */
  admits({ socket, headers }: IncomingMessage, response: ServerResponse): boolean {
    if (socket.destroyed || this.#last.has(socket)) return false;
    if (headers.upgrade !== undefined) {
      this.#last.add(socket);
      response.shouldKeepAlive = false;
    }
    if (this.#aheadOn(socket).size === mostAhead) {
      socket.destroy();
      return false;
    }
    this.enter(socket, response);
    return true;
  }

  /**
   * Does what ends a connection of which nothing more can be read: behind the answers to requests that have come whole, for what they ask for is done, and
   * whoever asked has to hear it.
   */
  behindAnswers(socket: Duplex, end: () => void): void {
    const whole = (this.#ahead.get(socket)?.all() ?? []).filter(({ req }) => req.complete);
    if (whole.length === 0) {
      end();
      return;
    }
    if (this.#ending.has(socket)) return; // each piece of what cannot be read is told anew
    this.#ending.add(socket);
    let left = whole.length;
    for (const response of whole) {
      response.once("close", () => {
        left--;
        if (left === 0 && socket.writable) end();
      });
    }
  }

  /**
   * Does something with a connection that node:http has given away, behind the answers to what came before on it: of one that its client has read to the end node:http may not know that yet. By itself node:http tells nobody any
   * more that they may go on writing, and cuts nobody who does not read: this is done here, until the connection closes. Does nothing when the connection ends before.
   */
  takeOver(socket: Duplex, use: () => void): void {
    socket.on("error", () => undefined); // it closes as well
    socket.on("drain", () => responseOn(socket)?.emit("drain"));
    socket.on("timeout", () => this.#stalled(socket));
    this.behindAnswers(socket, () => {
      if (responseOn(socket) === undefined) use();
      else socket.destroy(); // an answer that nobody has entered: two cannot be written at once
    });
  }

  #stalled(socket: Duplex): void {
    const isAnswered = (this.#ahead.get(socket)?.size ?? 0) > 0;
    if (!isAnswered || socket.writableLength > 0) socket.destroy();
  }

  #aheadOn(socket: Duplex): Bag<ServerResponse> {
    return this.#ahead.get(socket) ?? this.#follow(socket);
  }

  #follow(socket: Duplex): Bag<ServerResponse> {
    const ahead = new Bag<ServerResponse>();
    this.#ahead.set(socket, ahead);
    socket.once("close", () => ahead.all().forEach(overWithConnection));
    return ahead;
  }

  /** A request that is answered from now on, on this connection. */
  enter(socket: Duplex, response: ServerResponse): void {
    if (this.#closing) response.setHeader("Connection", "close");
    const leaves = [this.#working.add(response), this.#aheadOn(socket).add(response)];
    response.on("close", () => {
      for (const leave of leaves) leave();
      // A kept-alive connection whose last answer had begun before the listener closed.
      if (this.#closing) response.req.socket.end();
    });
  }

  async close(grace: number, clock: Clock): Promise<void> {
    this.#closing = true;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const response of this.#working.all()) {
      if (!response.headersSent) response.setHeader("Connection", "close");
    }
    const timer = clock.after(grace, () => {
      for (const socket of this.#sockets) socket.destroy();
    });
    await closed;
    timer.cancel();
  }

  /** node:http knows neither upgraded connections nor those within their TLS handshake. */
  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }
}

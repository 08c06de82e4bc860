/** The websocket of /v1/subscribe, and what it has told. */

import { once } from "node:events";
import { type Dispatcher, WebSocket } from "undici";
import { eventually } from "../drover.ts";

/** One message of the server. */
export interface Told {
  readonly name: string;
  readonly resourceType?: string;
  readonly namespace?: string;
  readonly revision?: string;
  readonly data?: {
    readonly id?: string;
    readonly error?: string;
    readonly [field: string]: unknown;
  };
}

const patience = 60_000;

/** A connection that keeps everything it is told. */
export class Subscriber implements Disposable {
  readonly told: Told[] = [];
  /** Resolves with the code with which the server ended the connection. */
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.told.push(JSON.parse(String(data))));
    this.closed = new Promise((resolve) =>
      socket.addEventListener("close", ({ code }) => resolve(code)),
    );
  }

  /** Resolves when the server has accepted; rejects when it refuses. */
  static async open(
    url: string,
    options: {
      readonly dispatcher: Dispatcher;
      readonly headers: Readonly<Record<string, string>>;
    },
  ): Promise<Subscriber> {
    const socket = new WebSocket(url, options);
    const subscriber = new Subscriber(socket);
    const refused = subscriber.closed.then((code) => Promise.reject(new Error(`closed, ${code}`)));
    await Promise.race([once(socket, "open"), refused]);
    refused.catch(() => undefined);
    return subscriber;
  }

  say(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  /** Starts a watch; resolves when it is established. */
  async watch(message: {
    readonly resourceType: string;
    readonly [field: string]: unknown;
  }): Promise<void> {
    const from = this.told.length;
    this.say(message);
    await this.hears(
      "resource.start",
      ({ resourceType }) => resourceType === message.resourceType,
      from,
    );
  }

  /** The first message of that name, from the given place on, of which the rest is as asked. */
  hears(name: string, is: (told: Told) => boolean = () => true, from = 0): Promise<Told> {
    return eventually(
      `message ${name}`,
      () => this.told.slice(from).find((told) => told.name === name && is(told)),
      patience,
      () =>
        this.told
          .map((told) => `${told.name} ${told.resourceType} ${told.data?.id} ${told.data?.error}`)
          .join("\n"),
    );
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }
}

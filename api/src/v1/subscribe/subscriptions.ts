/** All subscribers of the process: /v1/subscribe (apiserver: pkg/subscribe). */

import type { Clock, Logger, Timer } from "kopf-ts";
import type { RawData } from "ws";
import type { Exchange } from "../../stage.ts";
import type { Ending, Tenures } from "../../tenures.ts";
import type { AccessSets } from "../access/access.ts";
import { parseShape } from "../items/shape.ts";
import type { WatchShares } from "./cluster-watches.ts";
import { Connection, closeCodes } from "./connection.ts";
import { pingEvent } from "./events.ts";
import { Frame } from "./frame.ts";
import { type Opened, openWebSocket } from "./handshake.ts";
import { Session, type SessionParts } from "./session.ts";

/** What subscriptions need of the rest of the API. */
export interface SubscriptionsParts extends Pick<SessionParts, "watches" | "several" | "specials"> {
  readonly access: AccessSets;
  /** Of the watches of all clusters. */
  readonly shares: WatchShares;
  readonly clock: Clock;
  readonly log: Logger;
  /** What the server calls itself, for pings. */
  readonly version: string;
  /** Ends sessions: a token may be deleted, disabled or expired, and its user be in other groups. */
  readonly tenures: Tenures;
}

/** Between two pings, in milliseconds. */
const pingInterval = 30_000;

/** With what a session ends whose login is not what it was. */
const ends: Readonly<Record<Ending, readonly [number, string]>> = {
  ended: [closeCodes.policy, "the login has ended"],
  changed: [closeCodes.tryAgainLater, "the login has changed, connect again"],
};

/** The sessions and what they share. Disposing it cuts them off; who drains the server aborts `exchange.stopping` before. */
export class Subscriptions implements Disposable {
  readonly #parts: SubscriptionsParts;
  readonly #sessionParts: SessionParts;
  readonly #sessions = new Set<Session>();
  readonly #ping: Frame;
  #timer: Timer | undefined;

  constructor(parts: SubscriptionsParts) {
    this.#parts = parts;
    this.#ping = new Frame(pingEvent(parts.version));
    const { watches, several, specials, clock, shares } = parts;
    this.#sessionParts = {
      ...{ watches, several, specials, clock, metrics: shares.metrics },
      watchesOf: (username) => this.#watchesOf(username),
    };
  }

  /** Open sessions, and watches of all of them. */
  get stats(): { readonly sessions: number; readonly watches: number; readonly feeds: number } {
    let watches = 0;
    for (const { size } of this.#sessions) watches += size;
    return { sessions: this.#sessions.size, watches, feeds: this.#parts.watches.feeds };
  }

  /** Makes a session of a request that asks for a websocket. Throws a Problem for any other, and for a shape that is none. */
  readonly route = async (
    exchange: Exchange,
    { base }: { readonly base: string },
  ): Promise<void> => {
    const shape = parseShape(exchange.query);
    openWebSocket(exchange, (opened) => {
      const { login, log } = exchange;
      const connection = new Connection(opened.ws, opened.socket);
      const access = this.#parts.access.of(login.caller);
      const subscriber = { login, base, shape, log };
      const session = new Session(this.#sessionParts, connection, subscriber, access);
      this.#serve(session, opened, exchange);
    });
  };

  [Symbol.dispose](): void {
    this.#stopPings();
    for (const session of this.#sessions) session.end(closeCodes.goingAway, "the server stops");
    this.#parts.shares.background.clear();
  }

  #serve(session: Session, { ws }: Opened, { login, stopping }: Exchange): void {
    const { access, tenures } = this.#parts;
    const changes = access.onChange(login.caller, () =>
      session.accessChanged(access.of(login.caller)),
    );
    const tenure = tenures.hold(login, (ending) => session.end(...ends[ending]));
    const stop = (): void => session.end(closeCodes.goingAway, "the server stops");
    stopping.addEventListener("abort", stop, { once: true });
    ws.on("message", (data) => session.receive(textOf(data)));
    ws.on("error", () => undefined); // a frame that is none; `ws` closes with the code for it
    ws.once("close", () => {
      changes[Symbol.dispose]();
      tenure[Symbol.dispose]();
      stopping.removeEventListener("abort", stop);
      session.drop();
      this.#sessions.delete(session);
      this.#parts.shares.metrics.sessions.set(this.#sessions.size);
      if (this.#sessions.size === 0) this.#stopPings();
    });
    this.#sessions.add(session);
    this.#parts.shares.metrics.sessions.set(this.#sessions.size);
    this.#timer ??= this.#pingLater();
    if (stopping.aborted) stop();
  }

  #watchesOf(username: string): number {
    let watches = 0;
    for (const { login, size } of this.#sessions) {
      if (login.caller.username === username) watches += size;
    }
    return watches;
  }

  /** One timer for all sessions. */
  #pingLater(): Timer {
    return this.#parts.clock.after(pingInterval, () => {
      this.#timer = this.#pingLater();
      for (const session of [...this.#sessions]) session.ping(this.#ping);
    });
  }

  #stopPings(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}

function textOf(data: RawData): string {
  return (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)).toString();
}

/** All subscribers of the process: /v1/subscribe (apiserver: pkg/subscribe). */

import { Background, type Cache, type Clock, type Logger, type Metrics, type Timer } from "kopf-ts";
import { LRUCache } from "lru-cache";
import type { RawData } from "ws";
import type { Login } from "../../caller.ts";
import type { Exchange } from "../../stage.ts";
import type { AccessSets } from "../access/access.ts";
import type { Collection } from "../collections/collection.ts";
import type { Items } from "../items/item.ts";
import { parseShape } from "../items/shape.ts";
import { Connection, closeCodes } from "./connection.ts";
import { pingEvent } from "./events.ts";
import { Feed, type FeedParts } from "./feed.ts";
import { Frame } from "./frame.ts";
import { type Opened, openWebSocket } from "./handshake.ts";
import { Session, type SessionParts } from "./session.ts";
import { SubscribeMetrics } from "./subscribe-metrics.ts";

/** What subscriptions need of the rest of the API. */
export interface SubscriptionsParts
  extends Pick<SessionParts, "types" | "collections" | "methodsOf" | "specials"> {
  readonly access: AccessSets;
  readonly items: Items;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: Metrics | undefined;
  /** What the server calls itself, for pings. */
  readonly version: string;
  /** Whether what proved somebody's identity still counts: a token may be deleted, disabled or expired. Asked every few seconds, from caches. */
  readonly stillCounts: (login: Login) => boolean;
}

/** Between two pings, in milliseconds. */
const pingInterval = 30_000;
/** Bytes of messages that are kept for watches that come back together. */
const keptBytes = 8 << 20;
/** Between two looks at whether logins still count. */
const loginInterval = 2_000;

/** The sessions and what they share. Disposing it cuts them off; who drains the server aborts `exchange.stopping` before. */
export class Subscriptions implements Disposable {
  readonly #parts: SubscriptionsParts;
  readonly #sessionParts: SessionParts;
  readonly #background: Background;
  readonly #sessions = new Set<Session>();
  readonly #feeds = new Map<Cache, Feed>();
  readonly #frames = new LRUCache<string, Frame>({
    maxSize: keptBytes,
    sizeCalculation: ({ plain }) => plain.length,
  });
  readonly #ping: Frame;
  readonly #metrics: SubscribeMetrics;
  #timers: readonly Timer[] = [];

  constructor(parts: SubscriptionsParts) {
    this.#parts = parts;
    this.#background = new Background(parts.log);
    this.#ping = new Frame(pingEvent(parts.version));
    this.#metrics = new SubscribeMetrics(parts.metrics);
    const { types, collections, methodsOf, specials, clock } = parts;
    this.#sessionParts = {
      ...{ types, collections, methodsOf, specials, clock, background: this.#background },
      metrics: this.#metrics,
      feedOf: (collection) => this.#feedOf(collection),
      watchesOf: (username) => this.#watchesOf(username),
    };
  }

  /** Open sessions, and watches of all of them. */
  get stats(): { readonly sessions: number; readonly watches: number; readonly feeds: number } {
    let watches = 0;
    for (const { size } of this.#sessions) watches += size;
    return { sessions: this.#sessions.size, watches, feeds: this.#feeds.size };
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
    this.#stopTimers();
    for (const session of this.#sessions) session.end(closeCodes.goingAway, "the server stops");
    this.#background.clear();
  }

  #serve(session: Session, { ws }: Opened, { login, stopping }: Exchange): void {
    const { access } = this.#parts;
    const changes = access.onChange(login.caller, () =>
      session.accessChanged(access.of(login.caller)),
    );
    const stop = (): void => session.end(closeCodes.goingAway, "the server stops");
    stopping.addEventListener("abort", stop, { once: true });
    ws.on("message", (data) => session.receive(textOf(data)));
    ws.on("error", () => undefined); // a frame that is none; `ws` closes with the code for it
    ws.once("close", () => {
      changes[Symbol.dispose]();
      stopping.removeEventListener("abort", stop);
      session.drop();
      this.#sessions.delete(session);
      this.#metrics.sessions.set(this.#sessions.size);
      if (this.#sessions.size === 0) this.#stopTimers();
    });
    this.#sessions.add(session);
    this.#metrics.sessions.set(this.#sessions.size);
    if (this.#timers.length === 0) this.#startTimers();
    if (stopping.aborted) stop();
  }

  #watchesOf(username: string): number {
    let watches = 0;
    for (const { login, size } of this.#sessions) {
      if (login.caller.username === username) watches += size;
    }
    return watches;
  }

  #feedOf(collection: Collection): Feed {
    const known = this.#feeds.get(collection.cache);
    if (known !== undefined) return known;
    const { items, clock, log } = this.#parts;
    const shared = {
      ...{ background: this.#background, metrics: this.#metrics, frames: this.#frames },
    };
    const parts: FeedParts = { items, clock, log, ...shared };
    const feed = new Feed(parts, collection, () => {
      if (this.#feeds.get(collection.cache) === feed) this.#feeds.delete(collection.cache);
    });
    this.#feeds.set(collection.cache, feed);
    return feed;
  }

  #startTimers(): void {
    this.#timers = [
      this.#every(pingInterval, (session) => session.ping(this.#ping)),
      this.#every(loginInterval, (session) => {
        if (this.#parts.stillCounts(session.login)) return;
        session.end(closeCodes.policy, "the login has ended");
      }),
    ];
  }

  #stopTimers(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers = [];
  }

  /** One timer for all sessions; what it does for each is small. */
  #every(interval: number, act: (session: Session) => void): Timer {
    let timer: Timer;
    const arm = (): void => {
      timer = this.#parts.clock.after(interval, () => {
        arm();
        for (const session of [...this.#sessions]) act(session);
      });
    };
    arm();
    return { cancel: () => timer.cancel() };
  }
}

function textOf(data: RawData): string {
  return (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)).toString();
}

/** One subscriber: what comes over their websocket, and what they watch. */

import { type Clock, type Logger, messageOf } from "kopf-ts";
import { type Login, scopeOf } from "../../caller.ts";
import type { Access } from "../access/access.ts";
import type { Shape } from "../items/item.ts";
import { problemOf } from "../problem.ts";
import type { ClusterNames } from "../query/clusters.ts";
import type { ClusterWatches } from "./cluster-watches.ts";
import type { Connection } from "./connection.ts";
import { notifierFor } from "./debounce.ts";
import { type Event, errorEvent, plainEvent, textOfProblem } from "./events.ts";
import { Frame } from "./frame.ts";
import {
  clustersOf,
  keyOf,
  type Message,
  MessageError,
  readMessage,
  requirementsOf,
  unsaid,
} from "./message.ts";
import { type SeveralWatches, watchSeveral } from "./several.ts";
import { type SpecialFeed, watchSpecial } from "./special.ts";
import type { SubscribeMetrics } from "./subscribe-metrics.ts";

/** What sessions need of the rest of the API. */
export interface SessionParts {
  /** Of the server's own cluster. */
  readonly watches: ClusterWatches;
  /** Serves subscriptions to several clusters. */
  readonly several: SeveralWatches;
  /** By the ids under which they are subscribed to: `count`, `schema`. */
  readonly specials: Readonly<Record<string, SpecialFeed>>;
  /** How many watches all sessions of a user have. */
  readonly watchesOf: (username: string) => number;
  readonly metrics: SubscribeMetrics;
  readonly clock: Clock;
}

/** Who subscribes, and how items are to be written for them. */
export interface Subscriber {
  readonly login: Login;
  readonly base: string;
  readonly shape: Shape;
  readonly log: Logger;
}

/** Watches that one session may have; the Dashboard has some fifty. */
const mostWatches = 512;

/** Watches that all sessions of a user may have, at some 11 KiB each. */
const mostOfUser = 8_192;

/** Something that is watched, from the moment it was asked for. */
interface Live {
  readonly message: Message;
  /** Of several clusters; undefined for the server's own alone. */
  readonly names: ClusterNames | undefined;
  readonly controller: AbortController;
  watch: (Disposable & { accessChanged(access: Access): void }) | undefined;
}

/** The watches of one websocket. Whatever is sent, it answers and goes on. */
export class Session {
  readonly #parts: SessionParts;
  readonly #connection: Connection;
  readonly #subscriber: Subscriber;
  readonly #watches = new Map<string, Live>();
  /** Watches of clusters, beside the subscriptions to several that they are parts of. */
  #ofClusters = 0;
  #access: Access;
  /** Messages come until the other side has closed as well. */
  #isOver = false;

  constructor(parts: SessionParts, connection: Connection, subscriber: Subscriber, access: Access) {
    this.#parts = parts;
    this.#connection = connection;
    this.#subscriber = subscriber;
    this.#access = access;
  }

  get login(): Login {
    return this.#subscriber.login;
  }

  /** Watches that have not ended; of a subscription to several clusters each cluster counts as one. */
  get size(): number {
    return this.#watches.size + this.#ofClusters;
  }

  /** A message of the subscriber. */
  receive(text: string): void {
    if (this.#isOver) return;
    try {
      const message = readMessage(text);
      if (message.stop) this.#stop(message);
      else this.#start(message);
    } catch (thrown) {
      this.#refuse(thrown);
    }
  }

  /** What was to begin a watch has an end, unless there is one already that goes on. */
  #refuse(thrown: unknown): void {
    const about = thrown instanceof MessageError ? thrown.about : unsaid;
    this.#send(errorEvent({ message: about }, this.#textOf(thrown)));
    const isWatch = about !== unsaid && !about.stop && !this.#watches.has(keyOf(about));
    if (isWatch) this.#send(plainEvent("resource.stop", about));
  }

  ping(frame: Frame): void {
    this.#connection.send(frame);
  }

  /** The caller's rights are others now. */
  accessChanged(access: Access): void {
    this.#access = access;
    for (const { watch } of [...this.#watches.values()]) watch?.accessChanged(access);
  }

  /** Ends all watches, each with its `resource.stop`, then the connection. */
  end(code: number, reason: string): void {
    this.#isOver = true;
    for (const live of [...this.#watches.values()]) this.#ended(live);
    this.#connection.close(code, reason);
  }

  /** Ends all watches without a word: the connection has gone. */
  drop(): void {
    this.#parts.metrics.watches.inc(-this.#watches.size);
    for (const live of this.#watches.values()) release(live);
    this.#watches.clear();
  }

  #start(message: Message): void {
    const key = keyOf(message);
    if (this.#watches.has(key)) return;
    const names = clustersOf(message);
    const full = this.#fullness(names === undefined || names === "all" ? 1 : 1 + names.length);
    if (full !== undefined) throw new MessageError(full, { about: message });
    const live: Live = { message, names, controller: new AbortController(), watch: undefined };
    this.#watches.set(key, live);
    this.#parts.metrics.watches.inc();
    this.#begin(live).catch((thrown: unknown) => {
      if (!live.controller.signal.aborted) this.#ended(live, this.#textOf(thrown));
    });
  }

  /** Why there is no room for some more; undefined where there is. */
  #fullness(more = 1): string | undefined {
    if (this.size + more > mostWatches)
      return `too many watches: a session may have ${mostWatches}`;
    const ofUser = this.#parts.watchesOf(this.login.caller.username);
    return ofUser + more <= mostOfUser
      ? undefined
      : `too many watches: a user may have ${mostOfUser}`;
  }

  #stop(message: Message): void {
    const live = this.#watches.get(keyOf(message));
    if (live !== undefined) this.#ended(live);
  }

  async #begin(live: Live): Promise<void> {
    const { message, names } = live;
    const feed = this.#specialFor(message);
    if (names !== undefined) this.#beginSeveral(live, names, feed);
    else if (feed !== undefined) this.#beginSpecial(live, feed);
    else await this.#beginType(live);
  }

  /** By id or plural name, in any case. */
  #specialFor({ resourceType }: Message): SpecialFeed | undefined {
    const id = resourceType.toLowerCase().replace(/s$/, "");
    return Object.entries(this.#parts.specials).find(([name]) => name === id)?.[1];
  }

  #beginSpecial(live: Live, feed: SpecialFeed): void {
    const { login, base } = this.#subscriber;
    live.watch = watchSpecial({
      feed,
      asker: { caller: login.caller, access: this.#access, base },
      ...{ message: live.message, connection: this.#connection, clock: this.#parts.clock },
      onEnd: (error) => this.#ended(live, error),
    });
  }

  #beginSeveral(live: Live, names: ClusterNames, feed: SpecialFeed | undefined): void {
    const { message } = live;
    if (feed !== undefined) {
      throw new MessageError(`schema ${message.resourceType} is of one cluster alone`);
    }
    requirementsOf(message); // which each cluster would refuse
    const { login, base, shape } = this.#subscriber;
    const { metrics, several, clock } = this.#parts;
    live.watch = watchSeveral(several, {
      ...{ message, names, outlet: this.#connection, clock },
      asker: { caller: login.caller, scope: scopeOf(login), access: this.#access, base, shape },
      take: () => {
        if (this.#fullness() !== undefined) return false;
        this.#ofClusters++;
        metrics.watches.inc();
        return true;
      },
      give: () => {
        this.#ofClusters--;
        metrics.watches.inc(-1);
      },
    });
  }

  async #beginType(live: Live): Promise<void> {
    const { message, controller } = live;
    const { login, base, shape } = this.#subscriber;
    const { watches, clock } = this.#parts;
    const { signal } = controller;
    const outlet = this.#connection;
    const watch = await watches.open(
      {
        ...{ message, revision: message.resourceVersion, base, shape, outlet },
        caller: login.caller,
        access: () => this.#access,
        notifier: notifierFor(message, outlet, clock),
        onStart: () => this.#send(plainEvent("resource.start", message)),
        onEnd: (error) => this.#ended(live, error),
      },
      signal,
    );
    live.watch = watch;
    if (signal.aborted) release(live);
    else await watch.start(signal);
  }

  /** Tells that a watch has ended, and why if it failed. */
  #ended(live: Live, error?: string): void {
    const key = keyOf(live.message);
    if (this.#watches.get(key) !== live) return;
    this.#watches.delete(key);
    this.#parts.metrics.watches.inc(-1);
    release(live);
    if (error !== undefined) this.#send(errorEvent({ message: live.message }, error));
    this.#send(plainEvent("resource.stop", live.message));
  }

  #textOf(thrown: unknown): string {
    if (thrown instanceof MessageError) return thrown.message;
    const known = problemOf(thrown);
    if (known !== undefined) return textOfProblem(known);
    this.#subscriber.log.error("a watch failed", { error: messageOf(thrown) });
    return "ServerError 500: internal error";
  }

  #send(event: Event): void {
    this.#connection.send(new Frame(event));
  }
}

function release({ controller, watch }: Live): void {
  controller.abort();
  watch?.[Symbol.dispose]();
}

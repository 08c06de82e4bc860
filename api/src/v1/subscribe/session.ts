/** One subscriber: what comes over their websocket, and what they watch. */

import { type Background, type Clock, type Logger, messageOf, type Requirement } from "kopf-ts";
import type { Login } from "../../caller.ts";
import type { Access } from "../access/access.ts";
import type { Collection, Collections } from "../collections/collection.ts";
import type { Shape } from "../items/item.ts";
import { ownerLabel, seesOwnOnly } from "../own-objects.ts";
import { problemOf } from "../problem.ts";
import type { Methods } from "../schemas/methods.ts";
import type { ResourceType, Types } from "../types/resource-type.ts";
import type { Connection } from "./connection.ts";
import { type Event, errorEvent, plainEvent } from "./events.ts";
import type { Feed } from "./feed.ts";
import { Frame } from "./frame.ts";
import {
  keyOf,
  type Message,
  MessageError,
  readMessage,
  requirementsOf,
  unsaid,
} from "./message.ts";
import { type SpecialFeed, watchSpecial } from "./special.ts";
import type { SubscribeMetrics } from "./subscribe-metrics.ts";
import { Watch } from "./watch.ts";

/** What sessions need of the rest of the API. */
export interface SessionParts {
  readonly types: Pick<Types, "find">;
  readonly collections: Collections;
  readonly methodsOf: (type: ResourceType, access: Access) => Methods;
  /** By the ids under which they are subscribed to: `count`, `schema`. */
  readonly specials: Readonly<Record<string, SpecialFeed>>;
  readonly feedOf: (collection: Collection) => Feed;
  /** How many watches all sessions of a user have. */
  readonly watchesOf: (username: string) => number;
  readonly background: Background;
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
  readonly controller: AbortController;
  watch: (Disposable & { accessChanged(access: Access): void }) | undefined;
}

/** The watches of one websocket. Whatever is sent, it answers and goes on. */
export class Session {
  readonly #parts: SessionParts;
  readonly #connection: Connection;
  readonly #subscriber: Subscriber;
  readonly #watches = new Map<string, Live>();
  #access: Access;

  constructor(parts: SessionParts, connection: Connection, subscriber: Subscriber, access: Access) {
    this.#parts = parts;
    this.#connection = connection;
    this.#subscriber = subscriber;
    this.#access = access;
  }

  get login(): Login {
    return this.#subscriber.login;
  }

  /** Watches that have not ended. */
  get size(): number {
    return this.#watches.size;
  }

  /** A message of the subscriber. */
  receive(text: string): void {
    try {
      const message = readMessage(text);
      if (message.stop) this.#stop(message);
      else this.#start(message);
    } catch (thrown) {
      const about = thrown instanceof MessageError ? thrown.about : unsaid;
      this.#send(errorEvent(about, this.#textOf(thrown)));
    }
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
    this.#checkRoom(message);
    const live: Live = { message, controller: new AbortController(), watch: undefined };
    this.#watches.set(key, live);
    this.#parts.metrics.watches.inc();
    this.#begin(live).catch((thrown: unknown) => {
      if (!live.controller.signal.aborted) this.#ended(live, this.#textOf(thrown));
    });
  }

  #checkRoom(about: Message): void {
    const ofUser = this.#parts.watchesOf(this.login.caller.username);
    if (this.#watches.size < mostWatches && ofUser < mostOfUser) return;
    const who =
      ofUser < mostOfUser ? `session may have ${mostWatches}` : `user may have ${mostOfUser}`;
    throw new MessageError(`too many watches: a ${who}`, { about });
  }

  #stop(message: Message): void {
    const live = this.#watches.get(keyOf(message));
    if (live !== undefined) this.#ended(live);
  }

  async #begin(live: Live): Promise<void> {
    const { message, controller } = live;
    const feed = this.#specialFor(message);
    if (feed !== undefined) this.#beginSpecial(live, feed);
    else await this.#beginType(live, this.#typeFor(message), controller.signal);
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

  async #beginType(live: Live, type: ResourceType, signal: AbortSignal): Promise<void> {
    const { message } = live;
    const selected = requirementsOf(message);
    const access = this.#access;
    const { collections, clock, background, metrics, feedOf } = this.#parts;
    const collection = await collections.use(type, signal);
    if (signal.aborted || collection.gone.aborted) {
      collection[Symbol.dispose]();
      return this.#ended(live);
    }
    if (access !== this.#access) {
      collection[Symbol.dispose]();
      return await this.#begin(live); // what was checked counted for other rights
    }
    const { base, shape } = this.#subscriber;
    const watch = new Watch(
      {
        ...{ clock, background, metrics, feedOf, connection: this.#connection },
        onEnd: (error) => this.#ended(live, error),
      },
      {
        ...{ message, collection, view: { access, base, shape } },
        requirements: (by) => [...selected, ...this.#ownOnly(type, by)],
      },
    );
    live.watch = watch;
    await watch.start(signal);
  }

  #ownOnly(type: ResourceType, access: Access): readonly Requirement[] {
    if (!seesOwnOnly(type, access)) return [];
    const { username } = this.login.caller;
    return [{ key: ownerLabel, operator: "in", values: [username] }];
  }

  /** Throws MessageError where there is nothing to watch for the caller; a type they may know nothing of is as one that is not there. */
  #typeFor(message: Message): ResourceType {
    const { resourceType } = message;
    const type = this.#parts.types.find(resourceType);
    const methods = type && this.#parts.methodsOf(type, this.#access);
    if (type === undefined || methods === undefined || isHidden(methods)) {
      throw new MessageError(`failed to find schema ${resourceType}`, { about: message });
    }
    if (!type.verbs.includes("list")) {
      throw new MessageError(`schema ${resourceType} does not support watching`, {
        about: message,
      });
    }
    if (!methods.collectionMethods.includes("GET")) {
      throw new MessageError(`PermissionDenied 403: can not list ${type.id}`, { about: message });
    }
    return type;
  }

  /** Tells that a watch has ended, and why if it failed. */
  #ended(live: Live, error?: string): void {
    const key = keyOf(live.message);
    if (this.#watches.get(key) !== live) return;
    this.#watches.delete(key);
    this.#parts.metrics.watches.inc(-1);
    release(live);
    if (error !== undefined) this.#send(errorEvent(live.message, error));
    this.#send(plainEvent("resource.stop", live.message));
  }

  #textOf(thrown: unknown): string {
    if (thrown instanceof MessageError) return thrown.message;
    const problem = problemOf(thrown);
    if (problem !== undefined) return `${problem.code} ${problem.status}: ${problem.message}`;
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

function isHidden({ collectionMethods, resourceMethods }: Methods): boolean {
  return collectionMethods.length === 0 && resourceMethods.length === 0;
}

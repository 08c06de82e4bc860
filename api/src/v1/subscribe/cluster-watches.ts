/** Watches of the types of one cluster. */

import type { Caller } from "@drover/platform";
import {
  Background,
  type Cache,
  type Clock,
  type Logger,
  type Metrics,
  type Requirement,
} from "kopf-ts";
import { LRUCache } from "lru-cache";
import type { Access } from "../access/access.ts";
import type { Collection, Collections } from "../collections/collection.ts";
import type { Items } from "../items/item.ts";
import { seesOwnOnly } from "../own-objects.ts";
import { problem } from "../problem.ts";
import { isHidden, isListed, methodsOf } from "../schemas/index.ts";
import { isStranger, selectorFor } from "../strangers.ts";
import type { ResourceType, Types } from "../types/resource-type.ts";
import { Feed } from "./feed.ts";
import type { Frame } from "./frame.ts";
import type { View } from "./group.ts";
import { type Message, requirementsOf } from "./message.ts";
import { SubscribeMetrics } from "./subscribe-metrics.ts";
import { Watch, type WatchParts } from "./watch.ts";

/** Bytes of messages that are kept for watches that come back together. */
const keptBytes = 8 << 20;

/** Of a message that is kept, roughly. */
const overhead = 200;

/** A type or rights may change between the moment when they were looked at and that when the cache was there; as often as Steve, it is tried again. */
const attempts = 3;

/** What the watches of all clusters share: time, memory, and what is told of them. */
export class WatchShares {
  /** What all of them do in one turn of the event loop is bounded. */
  readonly background: Background;
  readonly metrics: SubscribeMetrics;
  /** Messages that were written lately. */
  readonly frames: LRUCache<string, Frame> = new LRUCache({
    maxSize: keptBytes,
    sizeCalculation: ({ plain }: Frame, id) => plain.length + id.length + overhead,
  });

  constructor({ log, metrics }: { readonly log: Logger; readonly metrics?: Metrics | undefined }) {
    this.background = new Background(log);
    this.metrics = new SubscribeMetrics(metrics);
  }
}

/** What is needed of a cluster. */
export interface ClusterWatchesParts {
  readonly types: Pick<Types, "find">;
  readonly collections: Collections;
  readonly items: Items;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What is to be watched, for whom, and who hears of it. */
export interface WatchAsked
  extends Pick<WatchParts, "access" | "outlet" | "notifier" | "onStart" | "onEnd">,
    Omit<View, "access"> {
  readonly message: Message;
  /** From where it goes on; empty for what is new. */
  readonly revision: string;
  readonly caller: Caller;
}

/** Makes watches; those of one type share a feed. */
export class ClusterWatches {
  readonly #parts: ClusterWatchesParts;
  readonly #shares: WatchShares;
  readonly #feeds = new Map<Cache, Feed>();

  constructor(parts: ClusterWatchesParts, shares: WatchShares) {
    this.#parts = parts;
    this.#shares = shares;
  }

  /** Types that somebody watches. */
  get feeds(): number {
    return this.#feeds.size;
  }

  /**
   * Makes a watch, which says nothing before it is started. Rejects with Problems: 404 and 405 for what cannot be watched, a type that the caller may know nothing of as one
   * that is not there; 403; 503; with a MessageError for a selector that is none, and with the signal's reason.
   */
  async open(asked: WatchAsked, signal: AbortSignal): Promise<Watch> {
    const { message } = asked;
    requirementsOf(message); // whatever is left of it for this caller
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const access = asked.access();
      const type = this.#typeFor(message.resourceType, access);
      const collection = await this.#parts.collections.use(type, signal);
      const isSame = access.fingerprint === asked.access().fingerprint;
      const isCurrent = isSame && !collection.gone.aborted;
      if (isCurrent && !signal.aborted) return this.#watch(asked, collection, access);
      collection[Symbol.dispose](); // what was checked counted for other rights, or another type
      signal.throwIfAborted();
    }
    throw problem("SchemasNotRefreshed", `${message.resourceType} or rights to it change just now`);
  }

  #watch(asked: WatchAsked, collection: Collection, access: Access): Watch {
    const { message, revision, base, shape, cluster, caller } = asked;
    const { background, metrics } = this.#shares;
    return new Watch(
      { ...asked, background, metrics, feedOf: (of) => this.#feedOf(of) },
      {
        ...{ message, revision, collection, view: { access, base, shape, cluster } },
        requirements: (by) => requirementsFor(message, collection.type, by),
        owner: (by) => (seesOwnOnly(collection.type, by) ? caller.username : undefined),
        isStranger: (by) => isStranger(collection.type, by),
      },
    );
  }

  #typeFor(name: string, access: Access): ResourceType {
    const type = this.#parts.types.find(name);
    const methods = type && methodsOf(type, access);
    if (type === undefined || methods === undefined || isHidden(methods)) {
      throw problem("NotFound", `failed to find schema ${name}`);
    }
    if (!type.verbs.includes("list")) {
      throw problem("MethodNotAllowed", `schema ${name} does not support watching`);
    }
    if (isListed(methods)) return type;
    throw problem("PermissionDenied", `can not list ${type.id}`);
  }

  #feedOf(collection: Collection): Feed {
    const known = this.#feeds.get(collection.cache);
    if (known !== undefined) return known;
    const feed = new Feed({ ...this.#parts, ...this.#shares }, collection, () => {
      if (this.#feeds.get(collection.cache) === feed) this.#feeds.delete(collection.cache);
    });
    this.#feeds.set(collection.cache, feed);
    return feed;
  }
}

/** What is left of the selector for somebody with these rights; undefined where nothing matches it. */
function requirementsFor(
  message: Message,
  type: ResourceType,
  access: Access,
): readonly Requirement[] | undefined {
  const selector = selectorFor(message.selector, type, access);
  return selector === undefined ? undefined : requirementsOf({ ...message, selector });
}

/** Tells the watches of one type what changes, in order and without holding up anybody else. */

import type {
  Background,
  BackgroundJob,
  BackgroundSteps,
  Clock,
  Logger,
  PastChange,
} from "kopf-ts";
import { compareResourceVersions, messageOf } from "kopf-ts";
import type { LRUCache } from "lru-cache";
import type { Collection } from "../collections/collection.ts";
import type { Items } from "../items/item.ts";
import { FeedChange } from "./change.ts";
import { gone } from "./departures.ts";
import { itemEvent } from "./events.ts";
import { Frame } from "./frame.ts";
import type { Group, Member } from "./group.ts";
import { type Point, pointOf } from "./point.ts";
import { type EventName, isOwn } from "./scope.ts";
import type { SubscribeMetrics } from "./subscribe-metrics.ts";

/** What feeds share. */
export interface FeedParts {
  readonly items: Items;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
  readonly metrics: SubscribeMetrics;
  /** Messages that were written lately, for watches that come back together. */
  readonly frames: LRUCache<string, Frame>;
  /** Of all feeds and watches together: what they do in one turn of the event loop is bounded. */
  readonly background: Background;
}

/** Somebody with an interest in a type. */
export interface Follower {
  /** A share of the type's cache, as long as they follow. */
  readonly collection: Collection;
  /** The type has changed or vanished. */
  gone(): void;
}

/** What is remembered of a change until its turn comes. */
interface Changed {
  readonly revision: string;
  /** The object was not there before. */
  readonly isNew: boolean;
}

/** Changes that may wait to be told. Whoever is that far behind begins anew. */
const mostWaiting = 20_000;
/** Milliseconds for which a message may be sent again. */
const freshness = 5_000;

/**
 * Follows the cache of one type. Changes come from the cache's history, so that each is told exactly once and with the state it had, also when many come at once.
 * Where the history has a gap (the cache had to list anew, or a burst was longer than it), every object that differs is told in the state it has then; who sees their
 * own objects alone begins anew, since nobody knows whose they were.
 */
export class Feed {
  readonly #parts: FeedParts;
  readonly #followers = new Set<Follower>();
  readonly #groups = new Map<string, Group>();
  readonly #founder: Collection;
  readonly #subscription: Disposable;
  readonly #following: Disposable;
  readonly #onEmpty: () => void;
  /** Objects that changed since the last look. */
  #changed = new Map<string, Changed>();
  /** Up to which revision changes that the history has yet to tell were told with what it could not. */
  #ahead = new Map<string, string>();
  /** What was read of the history. */
  #position: Point;
  /** What was told of it: further than this nobody needs to look back. */
  #told: Point;
  #epoch = 0;
  #job: BackgroundJob | undefined;
  #ended = false;

  constructor(parts: FeedParts, collection: Collection, onEnd: () => void) {
    const { cache, gone } = collection;
    this.#parts = parts;
    this.#founder = collection;
    cache.keepHistory();
    this.#position = pointOf(cache);
    this.#told = this.#position;
    this.#subscription = cache.subscribe(({ type, key, resourceVersion }) => {
      const isNew = type === "ADDED" && (this.#changed.get(key)?.isNew ?? true);
      this.#changed.set(key, { revision: resourceVersion, isNew });
      this.#job ??= parts.background.run(this.#telling());
    });
    this.#following = collection.follow();
    const end = (): void => {
      this.#end();
      onEnd();
    };
    gone.addEventListener("abort", end, { once: true });
    this.#onEmpty = () => {
      gone.removeEventListener("abort", end);
      end();
    };
  }

  /** The feed lives as long as somebody follows. */
  follow(follower: Follower): void {
    this.#followers.add(follower);
  }

  unfollow(follower: Follower): void {
    this.#followers.delete(follower);
    if (this.#followers.size === 0 && !this.#ended) this.#onEmpty();
  }

  /** Tells a member of all changes from now on, with others of the group; returns the one group that there is of it. */
  enter(group: Group, member: Member): Group {
    const entered = this.#groups.get(group.id) ?? group;
    this.#groups.set(entered.id, entered);
    entered.members.add(member);
    return entered;
  }

  /** Harmless for somebody who is no member. */
  leave(group: Group, member: Member): void {
    group.members.delete(member);
    if (group.members.size === 0 && this.#groups.get(group.id) === group) {
      this.#groups.delete(group.id);
    }
  }

  /** All members of groups were told what the history has up to here; of the change behind it some may have been. */
  told(): Point {
    const isThrough = this.#job === undefined && this.#changed.size === 0;
    if (isThrough && this.#told.timeline !== this.#collection.cache.timeline) this.#beginAnew();
    return this.#told;
  }

  /** Whether those that were told what the history does not have know more than it has told. */
  get isAhead(): boolean {
    return this.#ahead.size > 0;
  }

  /** Grows whenever something is told that the history does not have. */
  get epoch(): number {
    return this.#epoch;
  }

  /** The changes after a point; undefined when they are not all known. */
  changesSince({ revision, timeline }: Point): readonly PastChange[] | undefined {
    return this.#collection.cache.changesSince(revision, timeline);
  }

  /** The message that tells a group of a change; the same bytes for everybody who asks within moments. */
  frameOf(group: Group, name: EventName, change: FeedChange): Frame {
    const { key, revision, timeline } = change;
    if (timeline === undefined) return this.#newFrame(group, name, change); // as it is now, not as it was at a revision
    const time = Math.floor(this.#parts.clock.now() / freshness); // ages are written into it
    const id = `${time} ${this.#founder.type.id} ${key} ${timeline} ${revision} ${name} ${group.id}`;
    const known = this.#parts.frames.get(id);
    if (known !== undefined) return known;
    const frame = this.#newFrame(group, name, change);
    this.#parts.frames.set(id, frame);
    return frame;
  }

  #newFrame(group: Group, name: EventName, change: FeedChange): Frame {
    const item = this.#itemOf(group, change);
    const { message, view } = group.spec;
    const topic = { message, cluster: view.cluster };
    this.#parts.metrics.made.inc();
    return new Frame(itemEvent(name, topic, change.revision, item));
  }

  /** The current state is written from what is known of it, a past one from its bytes; of what is another's by now no more than what it is called. */
  #itemOf({ viewId, spec }: Group, change: FeedChange): readonly Uint8Array[] {
    const collection = this.#collection;
    const isTold = isOwn(spec.scope, () => change.labels());
    if (!isTold) return [gone(collection.type.id, change.key)];
    return change.item(viewId, () => {
      const { type, cache } = collection;
      const writer = this.#parts.items.writer({ type, ...spec.view, now: this.#parts.clock.now() });
      const current = change.isNow(cache.raw(change.key))
        ? writer.ofKey(collection, change.key)
        : undefined;
      return current ?? writer.ofObject(change.bytesOf(type));
    });
  }

  /** A share that is still held. */
  get #collection(): Collection {
    const [first] = this.#followers;
    return first?.collection ?? this.#founder;
  }

  *#telling(): BackgroundSteps {
    try {
      yield* this.#tellAll();
    } finally {
      this.#job = undefined;
    }
  }

  *#tellAll(): BackgroundSteps {
    while (this.#changed.size > 0 && !this.#ended) {
      const { changes, exact } = this.#take(this.#position);
      yield;
      for (const change of changes) {
        for (const group of this.#groups.values()) yield* this.#tell(group, change);
        if (exact) this.#told = { ...this.#told, revision: change.revision };
      }
      this.#told = this.#position;
      if (exact) this.#ahead = new Map();
    }
  }

  /** What cannot be written ends the watches that it is about, and nothing else. */
  *#tell(group: Group, change: FeedChange): BackgroundSteps {
    try {
      yield* group.tell(change, (...about) => this.frameOf(...about));
    } catch (error) {
      const fields = { key: change.key, error: messageOf(error) };
      this.#parts.log.error("cannot tell subscribers of an object", fields);
      lose(group);
    }
    yield;
  }

  /** What changed since a position, which moves on. */
  #take(from: Point): { readonly changes: Iterable<FeedChange>; readonly exact: boolean } {
    const changed = this.#changed;
    this.#changed = new Map();
    const collection = this.#collection;
    const past = this.changesSince(from);
    if (past !== undefined) {
      this.#position = { ...from, revision: past.at(-1)?.resourceVersion ?? from.revision };
      return { changes: past.map((told) => changeOf(told, from, this.#ahead)), exact: true };
    }
    this.#position = pointOf(collection.cache);
    this.#ahead = new Map();
    this.#epoch++;
    if (changed.size > mostWaiting) return this.#giveUp();
    for (const group of this.#groups.values())
      if (group.spec.scope.owner !== undefined) lose(group);
    return { changes: this.#current(changed), exact: false };
  }

  /** The objects as they are when their turn comes. */
  *#current(changed: ReadonlyMap<string, Changed>): Generator<FeedChange, void, void> {
    const { cache } = this.#collection;
    for (const [key, { revision, isNew }] of changed) {
      const object = cache.raw(key);
      const later = this.#changed.get(key)?.revision;
      const isThere = isNew && later === undefined ? "ADDED" : "MODIFIED"; // since it was new it may have been told
      const type = object === undefined ? "DELETED" : isThere;
      const resourceVersion = cache.resourceVersionOf(key) ?? later ?? revision;
      if (later !== undefined) this.#ahead.set(key, resourceVersion);
      yield new FeedChange({ type, key, resourceVersion, object, timeline: undefined });
    }
  }

  /** The cache went back without a change of any object. */
  #beginAnew(): void {
    this.#position = pointOf(this.#collection.cache);
    this.#told = this.#position;
  }

  /** So much is new that a list costs everybody less. */
  #giveUp(): { readonly changes: Iterable<FeedChange>; readonly exact: boolean } {
    for (const group of this.#groups.values()) lose(group);
    return { changes: [], exact: true };
  }

  #end(): void {
    this.#ended = true;
    this.#following[Symbol.dispose]();
    this.#subscription[Symbol.dispose]();
    this.#job?.cancel();
    for (const follower of this.#followers) follower.gone();
  }
}

function lose({ members }: Group): void {
  for (const member of [...members]) member.lost();
}

function changeOf(
  told: PastChange,
  { timeline }: Point,
  ahead: ReadonlyMap<string, string>,
): FeedChange {
  const upTo = ahead.get(told.key);
  const isAgain = upTo !== undefined && compareResourceVersions(told.resourceVersion, upTo) <= 0;
  return new FeedChange({ ...told, timeline, isAgain });
}

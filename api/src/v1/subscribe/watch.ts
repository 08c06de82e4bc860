/** One subscription to a type, from its start to its end. */

import type { Background, BackgroundSteps, PastChange } from "kopf-ts";
import { type Access, nothing } from "../access/access.ts";
import type { Collection } from "../collections/collection.ts";
import { FeedChange } from "./change.ts";
import type { Outlet } from "./connection.ts";
import type { Notifier } from "./debounce.ts";
import { arrivals, departures, gone, untoldDepartures } from "./departures.ts";
import { itemEvent, type Topic } from "./events.ts";
import type { Feed, Follower } from "./feed.ts";
import { Frame } from "./frame.ts";
import { Group, type GroupSpec, type Member, type View } from "./group.ts";
import type { Message } from "./message.ts";
import { comparePoints, type Point, pointOf } from "./point.ts";
import { isSameScope, narrowOf, type Scope } from "./scope.ts";
import type { SubscribeMetrics } from "./subscribe-metrics.ts";

/** What a watch needs. */
export interface WatchParts {
  readonly background: Background;
  readonly metrics: SubscribeMetrics;
  readonly feedOf: (collection: Collection) => Feed;
  /** The caller's rights, as they are when it is called. */
  readonly access: () => Access;
  readonly outlet: Outlet;
  /** Hears instead of the outlet, where no more than notifications are wanted; goes with the watch. */
  readonly notifier: Notifier | undefined;
  /** Called once, when everything that follows the revision will be told, before any of it is, and before an end without an error. */
  readonly onStart: (revision: string) => void;
  /** Called once, when the watch has ended for another reason than `dispose`; with an error, if it failed. */
  readonly onEnd: (error?: string) => void;
}

/** What is watched, and for whom. */
export interface Watched {
  readonly message: Message;
  /** From where it goes on. */
  readonly revision: string;
  readonly collection: Collection;
  readonly view: View;
  /** What is left of the selector for somebody with these rights; undefined where nothing matches it. */
  readonly requirements: (access: Access) => Scope["requirements"] | undefined;
  /** Whose objects alone they see. */
  readonly owner: (access: Access) => Scope["owner"];
  /** Whether they see little of each object. */
  readonly isStranger: (access: Access) => boolean;
}

/** Clients list anew when they read this (dashboard: shell/plugins/steve/subscribe.js). */
const tooOld = "resourceversion too old";
/** What stands for no revision: only what is new from now on is told. */
const anywhere: readonly string[] = ["", "0", "-1"];
/** How long a watch waits for a revision that another replica has told, in milliseconds. */
const patience = 2_000;
/** Changes of the history that are in hand at once: many may catch up at the same time. */
const atOnce = 64;
/** Objects that are told one by one when rights end; for more, a list costs less. */
const mostDepartures = 1_000;

/**
 * A watch is told of changes by its feed while it keeps up. One that begins at a revision, or has not read what was sent, follows the history instead until it has
 * caught up; where that does not reach back far enough the watch ends with `too old`. So nothing is left out or told twice, and nothing piles up.
 */
export class Watch implements Member, Follower, Disposable {
  readonly collection: Collection;
  readonly #parts: WatchParts;
  readonly #topic: Topic;
  /** From where to begin. */
  readonly #revision: string;
  readonly #watched: Pick<Watched, "requirements" | "owner" | "isStranger">;
  readonly #feed: Feed;
  readonly #notifier: Notifier | undefined;
  #spec: GroupSpec;
  #group: Group;
  /** What it shows; until it has begun, what could be seen when it was opened. */
  #shown: Scope;
  /** The next change of the history to be told is behind this point. */
  #position: Point;
  /** What the history has up to here was told already. */
  #toldUpTo: Point | undefined;
  /** The epoch in which it began to be told by the feed. */
  #liveEpoch = -1;
  /** It has yet to be told that the watch has begun. */
  #begins = true;
  /** Rights have changed: what cannot be seen any more is told, nothing else. */
  #leaving = false;
  #ended = false;

  constructor(parts: WatchParts, watched: Watched) {
    const { message, revision, collection, view } = watched;
    this.#parts = parts;
    this.#notifier = parts.notifier;
    this.#topic = { message, cluster: view.cluster };
    this.#revision = revision;
    this.#watched = watched;
    this.collection = collection;
    this.#feed = parts.feedOf(collection);
    this.#feed.follow(this);
    this.#shown = this.#scopeBy(view.access);
    this.#spec = { view, message, scope: this.#shown };
    this.#group = new Group(this.#spec);
    this.#position = pointOf(collection.cache);
  }

  /**
   * Tells that it has begun, then what followed the revision that was asked for, or what is new. Says nothing before; if rights have changed since it was opened, it ends
   * when it has begun, as it would have later. Rejects with the signal's reason.
   */
  async start(signal: AbortSignal): Promise<void> {
    const access = this.#parts.access();
    if (access !== this.#spec.view.access) this.accessChanged(access);
    if (this.#ended) return;
    const { cache } = this.collection;
    if (anywhere.includes(this.#revision)) {
      const opened = this.#position;
      this.#position = pointOf(cache);
      this.#tellStart();
      if (this.#goesOn()) this.#goLive();
      else this.#position = opened; // nobody knows of what came since then
      return;
    }
    const isKnown = await cache.waitFor(this.#revision, { timeout: patience, signal });
    if (this.#ended) return;
    this.#position = { ...pointOf(cache), revision: this.#revision };
    if (isKnown) this.#catchUp();
    else this.#end(tooOld);
  }

  take(change: FeedChange, frame: () => Frame): void {
    if (this.#wasTold(change)) return;
    if (this.#notifier === undefined && this.#parts.outlet.isFull) {
      this.#fallBehind();
      return;
    }
    if (this.#notifier !== undefined) this.#notifier.tell(this.#revisionOf(change));
    else this.#send(frame());
    this.#toldUpTo = pointOfChange(change) ?? this.#toldUpTo;
  }

  lost(): void {
    this.#end(tooOld);
  }

  gone(): void {
    this.#tellStart();
    this.#notifier?.tellRest();
    this.#end();
  }

  /** The caller's rights are others now: goes on where they make no difference, ends where they do, after telling what can no longer be seen. */
  accessChanged(access: Access): void {
    const { view } = this.#spec;
    const isLive = this.#group.members.has(this);
    if (isLive && this.#isAhead) {
      this.#end(tooOld);
      return;
    }
    if (isLive) this.#leaveGroup();
    this.#spec = { ...this.#spec, view: { ...view, access }, scope: this.#scopeBy(access) };
    this.#group = new Group(this.#spec);
    if (this.#begins) return; // then it is compared
    if (this.#goesOn() && isLive) this.#catchUp(); // its old group and its new one may be told of a change at different times
  }

  /** Ends without a word. */
  [Symbol.dispose](): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#notifier?.[Symbol.dispose]();
    this.#leaveGroup();
    this.#feed.unfollow(this);
    this.collection[Symbol.dispose]();
  }

  /** False where it shows something else by its rights now: then it leaves. */
  #goesOn(): boolean {
    if (this.#leaving) return false;
    const { scope } = this.#spec;
    this.#leaving = !isSameScope(this.#shown, scope);
    if (this.#leaving) this.#parts.background.run(this.#guarded(this.#depart(this.#shown)));
    else this.#shown = scope;
    return !this.#leaving;
  }

  #scopeBy(access: Access): Scope {
    const { kind } = this.collection.type;
    const requirements = this.#watched.requirements(access);
    return {
      reach: requirements === undefined ? nothing : access.listed(kind),
      narrow: narrowOf(this.#topic.message, kind.scope),
      requirements: requirements ?? [],
      owner: this.#watched.owner(access),
      isStranger: this.#watched.isStranger(access),
    };
  }

  #end(error?: string): void {
    if (this.#ended) return;
    if (error === tooOld) this.#parts.metrics.lost.inc();
    this[Symbol.dispose]();
    this.#parts.onEnd(error);
  }

  #send(frame: Frame): void {
    this.#parts.outlet.send(frame);
    this.#parts.metrics.sent.inc();
  }

  #goLive(): void {
    this.#toldUpTo = this.#position;
    this.#liveEpoch = this.#feed.epoch;
    this.#group = this.#feed.enter(this.#group, this);
  }

  #leaveGroup(): void {
    const told = this.#feed.told();
    this.#position = this.#toldUpTo === undefined ? told : later(told, this.#toldUpTo);
    this.#feed.leave(this.#group, this);
  }

  /** What the history lacks was told to those who were there when this epoch began; who came later has begun behind it, and is told by the history alone. */
  #wasTold(change: FeedChange): boolean {
    const point = pointOfChange(change);
    if (point === undefined) return !this.#wasThere;
    if (change.isAgain && this.#wasThere) return true;
    return this.#toldUpTo !== undefined && comparePoints(point, this.#toldUpTo) <= 0;
  }

  /** What went unseen has the revision that it had before, which a restored server may not have. */
  #revisionOf({ type, revision, timeline }: FeedChange): string | (() => string) {
    const { cache } = this.collection;
    const isUnseen = type === "DELETED" && timeline === undefined;
    return isUnseen ? () => cache.resourceVersion : revision;
  }

  /** It was told what the history lacks. */
  get #wasThere(): boolean {
    return this.#liveEpoch !== this.#feed.epoch;
  }

  /** And with it what the history has yet to tell: there is no point to go on from. */
  get #isAhead(): boolean {
    return this.#wasThere && this.#feed.isAhead;
  }

  #fallBehind(): void {
    this.#parts.metrics.behind.inc();
    if (this.#isAhead) {
      this.#end(tooOld);
      return;
    }
    this.#leaveGroup();
    this.#waitAndCatchUp();
  }

  #waitAndCatchUp(): void {
    this.#parts.outlet.whenDrained(() => {
      if (!this.#ended) this.#catchUp();
    });
  }

  #catchUp(): void {
    this.#parts.background.run(this.#guarded(this.#catchingUp()));
  }

  /** What cannot be written ends the watch, as it does for those that are told by the feed. */
  *#guarded(steps: BackgroundSteps): BackgroundSteps {
    try {
      yield* steps;
    } catch (thrown) {
      this.#end(tooOld);
      throw thrown;
    }
  }

  *#catchingUp(): BackgroundSteps {
    while (!this.#ended && !this.#leaving) {
      const changes = this.#feed.changesSince(this.#position);
      if (changes === undefined) return this.#end(tooOld);
      this.#tellStart();
      if (!this.#goesOn()) return;
      if (changes.length === 0) return this.#goLive();
      const isThrough = yield* this.#tellSome(changes.slice(0, atOnce));
      if (!isThrough) return this.#waitAndCatchUp();
    }
  }

  #tellStart(): void {
    if (!this.#begins) return;
    this.#begins = false;
    this.#parts.onStart(this.#position.revision);
  }

  /** False when the rest has to wait until the subscriber has read. */
  *#tellSome(changes: readonly PastChange[]): Generator<void, boolean, void> {
    for (const told of changes) {
      if (this.#ended || this.#leaving) break;
      const { timeline } = this.#position;
      if (!this.#tellPast(new FeedChange({ ...told, timeline }))) return false;
      this.#position = { ...this.#position, revision: told.resourceVersion };
      yield;
    }
    return true;
  }

  /** False when it has to wait. */
  #tellPast(change: FeedChange): boolean {
    const name = this.#group.nameFor(change);
    if (name === undefined) return true;
    if (this.#notifier !== undefined) {
      this.#notifier.tell(change.revision);
      return true;
    }
    if (this.#parts.outlet.isFull) return false;
    this.#send(this.#feed.frameOf(this.#group, name, change));
    return true;
  }

  *#depart(before: Scope): BackgroundSteps {
    if (this.#ended) return;
    const { cache, type } = this.collection;
    const isByOwner = [before, this.#spec.scope].some(({ owner }) => owner !== undefined);
    if (isByOwner) return this.#end(tooOld); // names would tell of others' objects, or too little
    if (this.#notifier !== undefined) {
      this.#notifier.tellLast(cache.resourceVersion);
      return this.#end();
    }
    const told = new Set<string>();
    for (const key of this.#departures(before)) {
      if (this.#ended) return;
      if (key !== undefined && !told.has(key)) {
        if (told.add(key).size > mostDepartures) return this.#end(tooOld);
        const removed = itemEvent("resource.remove", this.#topic, "", [gone(type.id, key)]);
        this.#parts.outlet.send(new Frame(removed));
      }
      yield;
    }
    this.#end();
  }

  /** Where rights change meanwhile, all is looked at once more. */
  *#departures(before: Scope): ReturnType<typeof departures> {
    let looked: Scope;
    do {
      looked = this.#spec.scope;
      yield* this.#departuresNow(before);
    } while (!isSameScope(looked, this.#spec.scope) && !this.#ended);
  }

  /** What is untold comes last: so what departs while others are looked at is among it. */
  *#departuresNow(before: Scope): ReturnType<typeof departures> {
    const after = (): Scope => this.#spec.scope;
    const past = this.#feed.changesSince(this.#position);
    if (past === undefined) return this.#end(tooOld); // some may have come since
    const unknown = arrivals(past);
    for (const key of departures(this.collection.cache, before, after)) {
      yield key !== undefined && unknown.has(key) ? undefined : key;
    }
    const untold = this.#feed.changesSince(this.#position);
    if (untold === undefined) return this.#end(tooOld);
    yield* untoldDepartures(untold, before, after);
  }
}

/** Where a change is in the history; undefined for one that no history has. */
function pointOfChange({ revision, timeline }: FeedChange): Point | undefined {
  return timeline === undefined ? undefined : { revision, timeline };
}

/** The one of two points that is further on. */
function later(one: Point, other: Point): Point {
  return comparePoints(one, other) < 0 ? other : one;
}

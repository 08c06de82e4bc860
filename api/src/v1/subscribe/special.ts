/** Subscriptions to what is no resource of the cluster: counts and schemas. */

import type { Caller } from "@drover/platform";
import type { Clock } from "kopf-ts";
import type { Access } from "../access/access.ts";
import type { Outlet } from "./connection.ts";
import { notifierFor } from "./debounce.ts";
import { type Event, itemEvent, plainEvent } from "./events.ts";
import { Frame } from "./frame.ts";
import type { Message } from "./message.ts";
import type { EventName } from "./scope.ts";

/** Something of its own that can be subscribed to. */
export type SpecialFeed = (
  asker: SpecialAsker,
  tell: (event: SpecialEvent) => void,
) => SpecialWatch;

/** Who subscribes. */
export interface SpecialAsker {
  readonly caller: Caller;
  readonly access: Access;
  /** What URLs begin with. */
  readonly base: string;
}

/** What is told of it: the bytes of an item, in parts. */
export interface SpecialEvent {
  readonly name: EventName;
  readonly revision?: string;
  readonly item: readonly Uint8Array[];
}

/** A subscription to it, until disposed. */
export interface SpecialWatch extends Disposable {
  accessChanged(access: Access): void;
}

/** What a session makes such a subscription of. */
export interface SpecialParts {
  readonly feed: SpecialFeed;
  readonly asker: SpecialAsker;
  readonly message: Message;
  readonly connection: Outlet;
  readonly clock: Clock;
  readonly onEnd: (error: string) => void;
}

/** Tells that it has begun, then all that the feed tells. Events that do not fit end it: nobody could tell later what they were. */
export function watchSpecial(parts: SpecialParts): SpecialWatch {
  const { message, connection, clock } = parts;
  const send = (event: Event): void => connection.send(new Frame(event));
  const notifier = notifierFor(message, connection, clock);
  send(plainEvent("resource.start", message));
  const watch = parts.feed(parts.asker, ({ name, revision = "", item }) => {
    if (notifier !== undefined) notifier.tell(revision);
    else if (connection.isFull) parts.onEnd("slow reader detected; items missed: too old");
    else send(itemEvent(name, { message }, revision, item));
  });
  return {
    accessChanged: (access) => watch.accessChanged(access),
    [Symbol.dispose]() {
      notifier?.[Symbol.dispose]();
      watch[Symbol.dispose]();
    },
  };
}

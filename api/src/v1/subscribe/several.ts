/** Subscriptions to several clusters at once: what whoever serves them is given. */

import type { Caller } from "@drover/platform";
import type { Clock } from "kopf-ts";
import type { Access } from "../access/access.ts";
import type { Shape } from "../items/item.ts";
import type { Problem } from "../problem.ts";
import { type ClusterNames, revisionText } from "../query/clusters.ts";
import type { Outlet } from "./connection.ts";
import { type Notifier, notifierFor } from "./debounce.ts";
import { errorEvent, plainEvent, textOfProblem } from "./events.ts";
import { Frame } from "./frame.ts";
import { type Message, revisionsOf } from "./message.ts";

/** Serves a subscription to several clusters until it is disposed; watchOfClusters of clusters makes one. */
export type SeveralWatches = (asked: SeveralAsked) => SeveralWatch;

/** Such a subscription. */
export interface SeveralWatch extends Disposable {
  /** The caller's rights in the server's own cluster, which say which clusters there are for them, are others now. */
  accessChanged(access: Access): void;
}

/** Who subscribes, and how they want it. */
export interface SeveralAsker {
  readonly caller: Caller;
  /** The one cluster that the login is good for; undefined for any. */
  readonly scope: string | undefined;
  /** In the server's own cluster. */
  readonly access: Access;
  /** What URLs begin with. */
  readonly base: string;
  readonly shape: Shape;
}

/** A subscription to several clusters. */
export interface SeveralAsked extends SeveralAsker {
  readonly message: Message;
  readonly names: ClusterNames;
  /** From where clusters go on; those that are not in it from now on. */
  readonly revisions: ReadonlyMap<string, string>;
  /** For events, which say which cluster they are of. */
  readonly outlet: Outlet;
  /** Hears of one cluster, where no more than notifications are wanted: one for all clusters, in which is how far those have come that changed. */
  notifierOf(cluster: string): Notifier | undefined;
  /** Tells `resource.start`. */
  started(): void;
  /** Tells that a cluster has come, or came back: what is there up to this revision has yet to be listed. */
  joined(cluster: string, revision: string): void;
  /** Tells why nothing is told of a cluster; without one, of those that nobody knows yet. */
  failed(cluster: string | undefined, error: Problem | string): void;
  /** Counts one more cluster as a watch; false where the caller may have no more. */
  take(): boolean;
  /** One less. */
  give(): void;
}

/** What a session has to say of its subscription. */
export interface SeveralParts extends Pick<SeveralAsked, "names" | "take" | "give"> {
  readonly asker: SeveralAsker;
  readonly message: Message;
  readonly outlet: Outlet;
  readonly clock: Clock;
}

/** Asks for a subscription, and puts into messages what is told of it. */
export function watchSeveral(serve: SeveralWatches, parts: SeveralParts): SeveralWatch {
  const { asker, message, outlet, names, take, give, clock } = parts;
  const reached = new Map<string, string>();
  const notifier = notifierFor(message, outlet, clock);
  const tell = (cluster: string, revision: string): void => {
    reached.set(cluster, revision);
    notifier?.tell(() => revisionText(reached));
  };
  const send = (event: readonly Uint8Array[]): void => outlet.send(new Frame(event));
  const changes = (revision: string): void =>
    send(plainEvent("resource.changes", message, revision));
  const watch = serve({
    ...{ ...asker, message, outlet, names, take, give, revisions: revisionsOf(message) },
    notifierOf: (cluster) => notifier && partOf(notifier, (revision) => tell(cluster, revision)),
    started: () => send(plainEvent("resource.start", message)),
    joined: (cluster, revision) => {
      if (notifier === undefined) changes(revisionText([[cluster, revision]]));
      else tell(cluster, revision);
    },
    failed: (cluster, error) => {
      const text = typeof error === "string" ? error : textOfProblem(error);
      send(errorEvent({ message, cluster }, text));
    },
  });
  return {
    accessChanged: (access) => watch.accessChanged(access),
    [Symbol.dispose]() {
      watch[Symbol.dispose]();
      notifier?.[Symbol.dispose]();
    },
  };
}

/** The notifier of one cluster, which ends before that of all. */
function partOf(ofAll: Notifier, tell: (revision: string) => void): Notifier {
  return {
    tell: (revision) => tell(typeof revision === "string" ? revision : revision()),
    tellLast: (revision) => {
      tell(revision);
      ofAll.tellRest();
    },
    tellRest: () => ofAll.tellRest(),
    [Symbol.dispose]: () => undefined,
  };
}

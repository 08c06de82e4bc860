/** One key in work: its context, and what becomes known of it meanwhile. */

import { type EventInput, shareForms } from "../apply/index.ts";
import type { Clock, Logger } from "../base/index.ts";
import type { Cache } from "../cache/index.ts";
import {
  type Client,
  intercept,
  type Kind,
  type KubeObject,
  keyOf,
  type ObjectRef,
  parseKey,
  refTo,
  type SetDefaults,
  type WriteVerb,
} from "../kube/index.ts";
import type { CacheAccess, Context, Hub, ObjectEvents } from "./context.ts";
import { OwnWrites } from "./own-writes.ts";
import { RunClient } from "./run-client.ts";
import { ofKind, type Source, showing } from "./sources.ts";

/** Where Events go; EventRecorder of apply. */
export interface EventSink {
  event(object: ObjectRef, event: EventInput): void;
}

/** One API server that a controller works with. */
export interface Workplace {
  readonly client: Client;
  /** What the controller declares there. */
  readonly cache: CacheAccess;
  /** What shows writes. */
  readonly shown: readonly Source[];
  /** Comes before resourceVersions, since those of two servers may be equal. */
  readonly server: string;
  /** What applySet goes by. */
  readonly sets: SetDefaults | undefined;
}

/** What all runs of one controller share. */
export interface RunEnvironment {
  readonly kind: Kind;
  readonly here: Workplace;
  readonly hub: Workplace | undefined;
  /** Where the objects are: here, or in the hub. */
  readonly home: Workplace;
  readonly clock: Clock;
  /** Has the controller's fields. */
  readonly log: Logger;
  readonly cluster: string;
  readonly fieldManager: string;
  /** Where the objects are. */
  readonly events: EventSink | undefined;
  /** Throws when this process must not write; asked before each attempt. */
  readonly fence: (() => void) | undefined;
}

/** A run. Everything that costs anything is made when somebody asks for it. */
export class Run {
  readonly key: string;
  /** Monotonic. */
  readonly started: number;
  readonly context: Context;
  /** The object, once it is known; Events are about it. */
  subject: ObjectRef | undefined;
  readonly #environment: RunEnvironment;
  #abort: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  #late: Error | undefined;
  #writes: OwnWrites | undefined;
  /** Changes of the key that came during the run: their versions, and how urgent the most urgent one is. */
  #seen: Set<string> | undefined;
  #urgency = Number.NEGATIVE_INFINITY;

  constructor(environment: RunEnvironment, key: string) {
    this.#environment = environment;
    this.key = key;
    this.started = environment.clock.monotonic();
    this.context = new RunContext(this, environment);
  }

  /** What the run has written to cached kinds. */
  get writes(): OwnWrites | undefined {
    return this.#writes;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#aborted !== undefined) this.#abort.abort(this.#aborted.reason);
    }
    return this.#abort.signal;
  }

  /** Why the run is over time; undefined while it is not. */
  get late(): Error | undefined {
    return this.#late;
  }

  /** The run has taken too long. */
  expire(reason: Error): void {
    this.#late = reason;
    this.abort(reason);
  }

  /** Tells the reconciler to end, and refuses its writes from now on. */
  abort(reason: unknown): void {
    if (this.#aborted !== undefined) return;
    this.#aborted = { reason };
    this.#abort?.abort(reason);
  }

  /** Throws when the run may not write any more. */
  checkWrite(): void {
    if (this.#aborted !== undefined) throw this.#aborted.reason;
    this.#environment.fence?.();
  }

  /** Something of the key changed while it was in work; `version` undefined when it cannot be this run's own write. */
  changed(version: string | undefined, priority: number): void {
    this.#seen ??= new Set();
    this.#seen.add(version ?? "");
    this.#urgency = Math.max(this.#urgency, priority);
  }

  /** Priority of the changes that came during the run; undefined when there were none, or none but its own writes where those do not count. */
  changedMeanwhile(countOwn: boolean): number | undefined {
    if (this.#seen === undefined) return undefined;
    if (countOwn) return this.#urgency;
    for (const version of this.#seen) {
      if (this.#writes?.has(version) !== true) return this.#urgency;
    }
    return undefined;
  }

  /** A client for this run, whose writes are awaited. */
  connect({ client, shown, server, sets }: Workplace): Client {
    const { fieldManager } = this.#environment;
    const made = intercept(new RunClient(client, { fieldManager, signal: this.signal, sets }), {
      beforeSend: () => this.checkWrite(),
      afterWrite: (verb, object) => this.#wrote(verb, object, { shown, server }),
    });
    shareForms(client, made);
    return made;
  }

  /** Notes a write, so that it can be awaited. */
  #wrote(
    verb: WriteVerb,
    object: KubeObject | ObjectRef,
    { shown, server }: Pick<Workplace, "shown" | "server">,
  ): void {
    if (verb === "delete") {
      this.#deleted(object, shown);
      return;
    }
    const { resourceVersion } = object.metadata;
    if (verb === "deletecollection" || resourceVersion === undefined) return;
    const written = object as KubeObject; // the server's answer
    this.#writes ??= new OwnWrites();
    this.#writes.wrote(resourceVersion, showing(shown, written), server);
  }

  /** The next run waits until the cache shows that `cache` has changed so. */
  expect(cache: Cache, shown: () => boolean): void {
    if (shown()) return;
    this.#writes ??= new OwnWrites();
    this.#writes.expect(cache, shown);
  }

  #deleted(object: ObjectRef, shown: readonly Source[]): void {
    const key = keyOf(object);
    for (const { informer } of ofKind(shown, object)) {
      const { cache } = informer;
      const uid = object.metadata.uid ?? cache.uidOf(key);
      if (uid === undefined) continue; // the watch was faster than the answer
      this.expect(
        cache,
        () => cache.uidOf(key) !== uid || cache.get(key)?.metadata.deletionTimestamp !== undefined,
      );
    }
  }
}

/** The face of a run towards the reconciler. */
class RunContext implements Context {
  readonly #run: Run;
  readonly #environment: RunEnvironment;
  #client: Client | undefined;
  #hub: Hub | undefined;
  #log: Logger | undefined;
  #id: string | undefined;

  constructor(run: Run, environment: RunEnvironment) {
    this.#run = run;
    this.#environment = environment;
  }

  get key(): string {
    return this.#run.key;
  }
  get signal(): AbortSignal {
    return this.#run.signal;
  }
  get cache(): CacheAccess {
    return this.#environment.here.cache;
  }
  get hub(): Hub {
    this.#hub ??= this.#connectHub();
    return this.#hub;
  }
  get clock(): Clock {
    return this.#environment.clock;
  }
  get cluster(): string {
    return this.#environment.cluster;
  }
  get reconcileId(): string {
    this.#id ??= crypto.randomUUID();
    return this.#id;
  }
  get log(): Logger {
    this.#log ??= this.#environment.log.child({
      ...parseKey(this.key),
      reconcileId: this.reconcileId,
    });
    return this.#log;
  }

  get client(): Client {
    this.#client ??= this.#run.connect(this.#environment.here);
    return this.#client;
  }

  get events(): ObjectEvents {
    const { events, fieldManager, kind } = this.#environment;
    const { name, namespace } = parseKey(this.key);
    const event = (
      input: EventInput,
      about = this.#run.subject ?? refTo(kind, name, namespace),
    ): void => events?.event(about, { reportingController: fieldManager, ...input });
    return {
      event,
      normal: (reason, message) => event({ type: "Normal", reason, message }),
      warning: (reason, message) => event({ type: "Warning", reason, message }),
    };
  }

  #connectHub(): Hub {
    const run = this.#run;
    const { hub } = this.#environment;
    if (hub === undefined) throw noHub();
    let client: Client | undefined;
    return {
      cache: hub.cache,
      get client() {
        client ??= run.connect(hub);
        return client;
      },
    };
  }
}

/** Of a controller that has none. */
export function noHub(): TypeError {
  return new TypeError("this controller has no hub: only those of a ClusterSet may have one");
}

/** The clusters that this process works for beside its own, as sources of answers. */

import type { Clock, Cluster, ClusterSet, Logger } from "kopf-ts";
import { messageOf } from "kopf-ts";
import { problem } from "../problem.ts";
import { OpenApi } from "../schemas/index.ts";
import { ClusterWatches, type WatchShares } from "../subscribe/index.ts";
import type { ErrorMapping } from "../summary/error-mapping.ts";
import type { CacheShares } from "./cache-shares.ts";
import { CachedSource } from "./cached-source.ts";
import type { ClusterSource } from "./cluster-source.ts";
import { ClusterV1 } from "./cluster-v1.ts";

/** What members are made with. */
export interface MembersParts {
  /** Undefined where nobody works for other clusters. */
  readonly managed: Pick<ClusterSet, "get" | "state" | "onChange"> | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Of the caches of all clusters. */
  readonly caches: CacheShares;
  readonly errorMapping: ErrorMapping | undefined;
  /** Of the watches of all clusters. */
  readonly shares: WatchShares;
}

/** Bytes of a cluster that is asked now and then go sooner than those of the server's own: milliseconds. */
const idle = 60_000;

const notOurs =
  "the replica that was asked does not work for it: another one does, or it was not imported yet";

interface Opened {
  readonly cluster: Cluster;
  readonly source: ClusterSource;
}

/** Members of a ClusterSet: their caches are those that controllers use, and what /v1 needs besides is made when a cluster is first asked, and goes with it. */
export class Members {
  readonly #parts: MembersParts;
  readonly #opened = new Map<string, Opened>();
  #signal: AbortSignal | undefined;

  constructor(parts: MembersParts) {
    this.#parts = parts;
  }

  /** Lets clusters be asked until the signal aborts. */
  start(signal: AbortSignal): void {
    this.#signal = signal;
  }

  /** Calls the listener when a cluster's state changes, until disposed. */
  onChange(listener: () => void): Disposable {
    return this.#parts.managed?.onChange(listener) ?? { [Symbol.dispose]: () => undefined };
  }

  /** Throws a Problem (503) for one that cannot be asked now. */
  source(name: string): ClusterSource {
    const { managed } = this.#parts;
    const state = managed?.state(name);
    if (state === undefined) throw away(notOurs);
    if (state.phase !== "ready") throw away(texts[state.phase]);
    const cluster = managed?.get(name);
    if (cluster === undefined || this.#signal?.aborted !== false) throw away("it is not ready");
    const known = this.#opened.get(name);
    return known?.cluster === cluster ? known.source : this.#open(name, cluster, this.#signal);
  }

  #open(name: string, cluster: Cluster, until: AbortSignal): ClusterSource {
    const { clock, log, caches, errorMapping, shares } = this.#parts;
    const { client, informers } = cluster;
    const own = log.child({ cluster: name });
    const v1 = new ClusterV1(
      { client, informers, clock, log: own, cluster: name, caches, errorMapping },
      { idle },
    );
    const watches = new ClusterWatches({ ...v1, clock, log: own }, shares);
    const source = new CachedSource(v1, { clock, watches, openApi: new OpenApi(client, clock) });
    this.#opened.set(name, { cluster, source });
    const ended = v1.start(AbortSignal.any([cluster.signal, until]));
    ended
      .catch((error: unknown) =>
        own.error("a cluster cannot be asked", { error: messageOf(error) }),
      )
      .finally(() => {
        if (this.#opened.get(name)?.source === source) this.#opened.delete(name);
      });
    return source;
  }
}

/** Why it is so is for who may see the Cluster's conditions: errors tell where its API server is. */
const texts = {
  engaging: "the server has not connected to it yet",
  unreachable: "it cannot be reached",
  disengaging: "the server is leaving it",
} as const;

function away(why: string): Error {
  return problem("ClusterUnavailable", why);
}

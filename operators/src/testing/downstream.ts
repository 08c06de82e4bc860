/** Runs a concern that works for one cluster of a hub, against two real API servers, and shows what it does. */

import { kinds } from "@drover/crds";
import { type ControlPlane, secondTestEnv, uniqueName } from "@drover/env";
import {
  type Client,
  type Clock,
  type Controller,
  ControllerRunner,
  connect,
  EventRecorder,
  type HubDeps,
  Informers,
  type Kind,
  type KubeObject,
  type Logger,
  loadConfig,
  Metrics,
  type Related,
  refTo,
  type SelectorOptions,
  systemClock,
} from "kopf-ts";
import { collect, cluster as hubPlane, type Sent } from "./concern.ts";
import { runsEnded } from "./under-way.ts";

/** How a concern runs in a test. */
export interface DownstreamOptions {
  /** The concern's; caches and watches keep the machine's. */
  readonly clock?: Clock;
  /** Name of the cluster in the hub; a unique one unless told. */
  readonly name?: string;
  /** Of the cluster; the one that test files share unless told. For concerns whose objects have the same names in every test. */
  readonly plane?: ControlPlane;
  /** The hub manages itself: both sides are one API server, with one set of caches. */
  readonly clusterIsHub?: boolean;
  /** False: a concern that is not told by `clusters` what concerns its cluster sees all objects, and not only those of `mine`. */
  readonly narrow?: boolean;
  /** Stands between the concern and the API server of either side. */
  readonly through?: (client: Client, side: Where) => Client;
}

/** Which API server. */
export type Where = "hub" | "cluster";

/** A request as it ended, and where. */
export interface SentTo extends Sent {
  readonly where: Where;
}

/** One API server: a client for the test, and the concern's client and Events. */
interface Post {
  readonly test: Client;
  readonly own: Client;
  readonly events: EventRecorder;
}

type Posts = { readonly [W in Where]: Post };

/**
 * A concern of one cluster that runs, and clients for the test. The cluster has a name of its own and its namespace in the hub, so tests share the two API
 * servers: of a kind that declares `clusters` the concern sees what concerns this cluster; of another one that it watches, what `mine` labelled.
 * Whatever else it reads it sees whole: names must be unique (`uniqueName`). Everything ends with `await using`.
 */
export class RunningDownstream implements AsyncDisposable {
  /** The cluster's name in the hub. */
  readonly name: string;
  readonly label: string = uniqueName("test");
  readonly hub: Client;
  readonly cluster: Client;
  readonly metrics: Metrics;
  /** Every log line as JSON. */
  readonly lines: readonly string[];
  /** What the concern asked of the API servers. With `clusterIsHub` all of it counts as the hub's. */
  readonly sent: readonly SentTo[];
  readonly #options: DownstreamOptions;
  readonly #posts: Posts;
  readonly #logger: Logger;
  #running: Shift | undefined;

  private constructor(posts: Posts, log: Log, options: DownstreamOptions) {
    this.name = options.name ?? uniqueName("c");
    this.hub = posts.hub.test;
    this.cluster = posts.cluster.test;
    this.metrics = log.metrics;
    this.lines = log.lines;
    this.sent = log.sent;
    this.#logger = log.logger;
    this.#posts = posts;
    this.#options = options;
  }

  static async open(options: DownstreamOptions = {}): Promise<RunningDownstream> {
    const log = aLog();
    const hub = await openPost("hub", (await hubPlane()).kubeconfigPath, log);
    const cluster =
      options.clusterIsHub === true
        ? hub
        : await openPost("cluster", (options.plane ?? (await secondTestEnv())).kubeconfigPath, log);
    const opened = new RunningDownstream({ hub, cluster }, log, options);
    const metadata = { name: opened.name };
    await opened.hub.create({ apiVersion: "v1", kind: "Namespace", metadata });
    return opened;
  }

  /** The object with the label that makes it this test's, for kinds that are watched without `clusters`. */
  mine<T extends KubeObject>(object: T): T {
    const labels = { ...object.metadata.labels, test: this.label };
    return { ...object, metadata: { ...object.metadata, labels } };
  }

  /** Deletes what `mine` labelled in the cluster, for kinds that would trouble other tests there. */
  async clear<T extends KubeObject>(kind: Kind<T>, namespace?: string): Promise<void> {
    const labelSelector = `test=${this.label}`;
    const { items } = await this.cluster.list(kind, { labelSelector, namespace });
    for (const { metadata } of items) {
      await this.cluster.delete(refTo(kind, metadata.name, metadata.namespace));
    }
  }

  /** Starts it; resolves when its caches are filled. What ran before is stopped first, as when a process starts anew. */
  async run<T extends KubeObject>(concern: Controller<T>): Promise<void> {
    await this.stop();
    this.#running = await this.#start(concern);
  }

  /** The concern ends; it may `run` again, and finds what happened meanwhile. */
  async stop(): Promise<void> {
    await this.#running?.end();
    this.#running = undefined;
  }

  /** The value of one series; 0 when there is none. */
  async metric(series: string): Promise<number> {
    const lines = (await this.metrics.text()).split("\n");
    const line = lines.find((each) => each.startsWith(`${series} `));
    return line === undefined ? 0 : Number(line.slice(series.length + 1));
  }

  /** Runs have ended, and their Events on both sides are written, when this resolves. */
  async flush(): Promise<void> {
    await runsEnded(this.metrics);
    for (const { events } of this.#each()) await events.flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    for (const { events, own, test } of this.#each()) {
      await events.flush();
      await own[Symbol.asyncDispose]();
      await test[Symbol.asyncDispose]();
    }
  }

  async #start<T extends KubeObject>(concern: Controller<T>): Promise<Shift> {
    const { clock = systemClock } = this.#options;
    const stop = new AbortController();
    const hub = this.#equip("hub");
    const here = this.#posts.hub === this.#posts.cluster ? hub : this.#equip("cluster");
    const runner = new ControllerRunner(this.#narrowed(concern), {
      ...here,
      hub,
      clock,
      logger: this.#logger,
      metrics: this.metrics,
      cluster: this.name,
      fieldManagerPrefix: "drover-",
    });
    await runner.warm(stop.signal);
    const running = runner.start(stop.signal);
    const end = async (): Promise<void> => {
      stop.abort();
      await running;
      await hub.informers.dispose();
      await here.informers.dispose();
    };
    return { end };
  }

  /** What the concern selects itself, of this test's objects; also where it is told of the same kind twice, so that there is one cache of it, as in a server. */
  #narrowed<T extends KubeObject>(concern: Controller<T>): Controller<T> {
    const { hub, watches, select, related = [] } = concern;
    const tells = typeof hub === "object" && hub.clusters !== undefined;
    if (tells || this.#options.narrow === false) return concern;
    const isWatched = (each: Related) => each.kind === watches && each.hub === hub;
    return {
      ...concern,
      select: this.#mineOf(select),
      related: related.map((each) =>
        isWatched(each) ? { ...each, select: this.#mineOf(each.select) } : each,
      ),
    };
  }

  #mineOf(select: SelectorOptions = {}): SelectorOptions {
    const selectors = [select.labelSelector, `test=${this.label}`];
    return { ...select, labelSelector: selectors.filter(Boolean).join(",") };
  }

  #equip(where: Where): HubDeps & { readonly informers: Informers } {
    const { through = (client) => client } = this.#options;
    const { own, events } = this.#posts[where];
    const informers = new Informers(own, { logger: this.#logger, freeze: true });
    return { client: through(own, where), informers, events };
  }

  #each(): ReadonlySet<Post> {
    return new Set([this.#posts.hub, this.#posts.cluster]);
  }
}

/** One run of a concern. */
interface Shift {
  end(): Promise<void>;
}

/** What is seen of the concern. */
interface Log {
  readonly lines: string[];
  readonly sent: SentTo[];
  readonly logger: Logger;
  readonly metrics: Metrics;
}

function aLog(): Log {
  const lines: string[] = [];
  return { lines, sent: [], logger: collect(lines), metrics: new Metrics({ process: false }) };
}

async function openPost(
  where: Where,
  kubeconfig: string,
  { sent, metrics, logger }: Log,
): Promise<Post> {
  const config = await loadConfig({ kubeconfig });
  const observe = (verb: string, code: number, resource: string) =>
    void sent.push({ where, verb, code, resource, time: systemClock.monotonic() });
  const own = connect(config, { kinds, metrics: { observe } });
  const events = new EventRecorder(own, {
    reportingController: "drover",
    reportingInstance: "test",
    metrics,
    logger,
  });
  return { test: connect(config, { kinds }), own, events };
}

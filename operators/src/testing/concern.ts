/** Runs a concern against a real API server and shows what it does. */

import { installCrds, kinds } from "@drover/crds";
import { type ControlPlane, testEnv, uniqueName } from "@drover/env";
import {
  type Client,
  type Clock,
  type Controller,
  ControllerRunner,
  connect,
  EventRecorder,
  Informers,
  type Kind,
  type KubeObject,
  type Logger,
  loadConfig,
  Metrics,
  type SelectorOptions,
  silentLogger,
  systemClock,
} from "kopf-ts";
import { runsEnded } from "./under-way.ts";

/** How a concern runs in a test. */
export interface ConcernOptions {
  /** The concern's; caches and watches keep the machine's. */
  readonly clock?: Clock;
  /** One that serves the kinds already; that of the whole test run, with all of ours, unless told. */
  readonly controlPlane?: ControlPlane;
  /** Stands between the concern and the API server. */
  readonly through?: (client: Client) => Client;
}

/** A request as it ended. */
export interface Sent {
  readonly verb: string;
  readonly resource: string;
  readonly code: number;
  /** Milliseconds of the monotonic clock. */
  readonly time: number;
}

const crds = new WeakMap<ControlPlane, Promise<void>>();

/** The control plane of the test run, with our CRDs. */
export async function cluster(): Promise<ControlPlane> {
  const plane = await testEnv();
  const installed = crds.get(plane) ?? install(plane);
  crds.set(plane, installed);
  await installed;
  return plane;
}

/**
 * A concern that runs, and a client for the test. It only sees objects with the label `test` of its own value, which `mine` adds, so that
 * tests share an API server. Everything ends with `await using`.
 */
export class RunningConcern implements AsyncDisposable {
  readonly client: Client;
  readonly metrics: Metrics = new Metrics({ process: false });
  /** Every log line as JSON. */
  readonly lines: readonly string[];
  /** What the concern asked of the API server. */
  readonly sent: readonly Sent[];
  readonly label: string = uniqueName("test");
  readonly #options: ConcernOptions;
  readonly #own: Client;
  readonly #logger: Logger;
  readonly #stop = new AbortController();
  readonly #events: EventRecorder;
  #running: Promise<unknown> = Promise.resolve();

  private constructor(clients: Clients, options: ConcernOptions) {
    const lines: string[] = [];
    this.lines = lines;
    this.sent = clients.sent;
    this.client = clients.test;
    this.#own = clients.concern;
    this.#options = options;
    this.#logger = collect(lines);
    this.#events = new EventRecorder(clients.concern, {
      reportingController: "drover",
      reportingInstance: "test",
      metrics: this.metrics,
      logger: this.#logger,
    });
  }

  static async open(options: ConcernOptions = {}): Promise<RunningConcern> {
    const { kubeconfigPath } = options.controlPlane ?? (await cluster());
    const config = await loadConfig({ kubeconfig: kubeconfigPath });
    const sent: Sent[] = [];
    const observe = (verb: string, code: number, resource: string) =>
      void sent.push({ verb, code, resource, time: systemClock.monotonic() });
    const test = connect(config, { kinds });
    const concern = connect(config, { kinds, metrics: { observe } });
    return new RunningConcern({ test, concern, sent }, options);
  }

  /** Starts it; resolves when its caches are filled. */
  async run<T extends KubeObject>(concern: Controller<T>): Promise<void> {
    const { clock = systemClock, through = (client) => client } = this.#options;
    const informers = new Informers(this.#own, { logger: this.#logger, freeze: true });
    const runner = new ControllerRunner(
      { ...concern, select: this.#narrowed(concern) },
      {
        client: through(this.#own),
        informers,
        clock,
        events: this.#events,
        logger: this.#logger,
        metrics: this.metrics,
        fieldManagerPrefix: "drover-",
      },
    );
    await runner.warm(this.#stop.signal);
    this.#running = runner.start(this.#stop.signal).then(() => informers.dispose());
  }

  /** What the concern selects itself, of this test's objects. */
  #narrowed<T extends KubeObject>({ select }: Controller<T>): SelectorOptions {
    const selectors = [select?.labelSelector, `test=${this.label}`];
    return { ...select, labelSelector: selectors.filter(Boolean).join(",") };
  }

  /** The object with the label that makes it this test's. */
  mine<T extends KubeObject>(object: T): T {
    const labels = { ...object.metadata.labels, test: this.label };
    return { ...object, metadata: { ...object.metadata, labels } };
  }

  /** Creates the object as this test's. */
  async create<T extends KubeObject>(object: T): Promise<T> {
    return this.client.create(this.mine(object));
  }

  /** The object as it is now. */
  async find<T extends KubeObject>(kind: Kind<T>, object: KubeObject): Promise<T | undefined> {
    const { name, namespace } = object.metadata;
    return this.client.find(kind, name, { namespace });
  }

  /** The value of one series; 0 when there is none. */
  async metric(series: string): Promise<number> {
    const lines = (await this.metrics.text()).split("\n");
    const line = lines.find((each) => each.startsWith(`${series} `));
    return line === undefined ? 0 : Number(line.slice(series.length + 1));
  }

  /** Runs have ended, and their Events are written, when this resolves. */
  async flush(): Promise<void> {
    await runsEnded(this.metrics);
    await this.#events.flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#events.flush();
    await this.#own[Symbol.asyncDispose]();
    await this.client[Symbol.asyncDispose]();
  }
}

interface Clients {
  readonly test: Client;
  readonly concern: Client;
  readonly sent: readonly Sent[];
}

/** Installs our CRDs on a control plane that a test has for itself. */
export async function install({ kubeconfigPath }: ControlPlane): Promise<void> {
  await using client = connect(await loadConfig({ kubeconfig: kubeconfigPath }));
  await installCrds(client, { log: silentLogger, signal: AbortSignal.timeout(60_000) });
}

/** A logger that adds each line as JSON to `lines`. */
export function collect(lines: string[], context: Readonly<Record<string, unknown>> = {}): Logger {
  const line = (level: string) => (message: string, fields?: object) =>
    void lines.push(JSON.stringify({ level, message, ...context, ...fields }, plain));
  return {
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    isEnabled: () => true,
    child: (fields) => collect(lines, { ...context, ...fields }),
  };
}

/** Errors with their text and causes, so that a test can search all that a log could show. */
function plain(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  return { ...value, name, message, stack, cause };
}

import { AdmissionServer } from "../admission/index.ts";
import { EventRecorder } from "../apply/index.ts";
import {
  aborted,
  type Clock,
  type Logger,
  never,
  silentLogger,
  systemClock,
} from "../base/index.ts";
import { Informers } from "../cache/index.ts";
import { ControllerRunner, type RunnerDeps } from "../control/index.ts";
import { LeaderElection, type Leadership, LeaseLost } from "../election/index.ts";
import { ApiError, type Client, intercept } from "../kube/index.ts";
import { HealthChecks, Metrics, serveMetrics } from "../observe/index.ts";
import { tellMissingCaches } from "./caches.ts";
import { Crew, type Member } from "./crew.ts";
import { type ExitCode, exitCodes } from "./exit-code.ts";
import { Freshness } from "./freshness.ts";
import { NewKinds } from "./new-kinds.ts";
import type { AnyController, OperatorElection, OperatorOptions } from "./options.ts";
import { persist } from "./persist.ts";
import { untilReachable } from "./reach.ts";
import { type StopTimes, stopTimes } from "./stop-times.ts";
import { type Task, TaskRunner } from "./task.ts";
import { Waiting } from "./waiting.ts";
import { LinkedAbort, unlessAborted, within } from "./within.ts";

/** Why the start is not over, until it is. */
const cold = "the caches are not synced yet";

/**
 * Runs controllers against one cluster, in this order: metrics and health over HTTP, the API server reached, webhooks listen, `prepare`,
 * caches synced and queues filled, controllers and tasks of every replica, election, the leader's controllers and tasks. Stops in reverse:
 * controllers and tasks drain, events are written, the lease is released (no successor starts while work drains), webhooks close, caches go,
 * HTTP last; all of it within `stopTimeout`, also when the server is away.
 *
 * A server that is away, a kind that is missing or may not be read is waited for, however long, and named in the log and by /readyz. A lost
 * lease ends everything at once. Writes of the leader's controllers and tasks are refused unless the lease is surely held.
 */
export class Operator {
  readonly name: string;
  /** The caches of the cluster; others may use them as well. */
  readonly informers: Informers;
  readonly metrics: Metrics;
  readonly health: HealthChecks;
  readonly events: EventRecorder;
  readonly #options: OperatorOptions;
  readonly #times: StopTimes;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #freshness: Freshness;
  readonly #admission: AdmissionServer | undefined;
  readonly #leaders: Crew;
  readonly #everywhere: Crew;
  readonly #election: LeaderElection | undefined;
  #leadership: Leadership | undefined;
  #failure: { readonly error: unknown } | undefined;
  #started = false;

  constructor(options: OperatorOptions) {
    const { name, client, clock = systemClock, logger = silentLogger } = options;
    this.#options = options;
    this.#times = stopTimes(options.stopTimeout ?? 25_000);
    this.name = name;
    this.#clock = clock;
    this.#log = logger;
    this.metrics = options.metrics ?? new Metrics();
    this.health = options.health ?? new HealthChecks({ clock });
    const { metrics } = this;
    this.informers = options.informers ?? new Informers(client, { clock, logger, metrics });
    const { staleAfter = 120_000 } = options;
    this.#freshness = new Freshness({ informers: this.informers, clock, staleAfter });
    const limits = { flush: this.#times.events };
    const recording = { reportingController: name, clock, logger, metrics, limits };
    this.events = new EventRecorder(client, recording);
    this.#admission = this.#webhooks();
    const fenced = intercept(client, { beforeSend: () => this.#checkLease() });
    const leaders = [...(options.controllers ?? []), ...(this.#admission?.controllers ?? [])];
    this.#leaders = this.#crew("leader", leaders, { client: fenced });
    this.#everywhere = this.#crew("everywhere", options.everywhere, { client });
    this.#election = options.election && this.#candidate(options.election);
  }

  /** Names this process in the Lease; undefined without an election. */
  get identity(): string | undefined {
    return this.#election?.identity;
  }

  /** What this process may do as the leader; undefined while it does not lead, and in an operator without election. */
  get leadership(): Leadership | undefined {
    return this.#leadership;
  }

  /**
   * Runs until the signal aborts, the lease is lost, or something fails that must not. Resolves with how it ended; rejects only when called
   * twice.
   */
  async start(signal: AbortSignal): Promise<ExitCode> {
    if (this.#started) throw new Error("an operator starts only once");
    this.#started = true;
    using halt = new LinkedAbort(signal);
    try {
      await this.#run(halt);
      this.#log.info("stopped");
      return exitCodes.stopped;
    } catch (error) {
      return this.#codeOf(error, signal);
    }
  }

  #codeOf(error: unknown, signal: AbortSignal): ExitCode {
    if (error instanceof LeaseLost) return exitCodes.leaseLost;
    if (!signal.aborted || !isAbort(error, signal)) {
      this.#log.error("the operator failed", { error });
      return exitCodes.failed;
    }
    this.#log.info("stopped");
    return exitCodes.stopped;
  }

  /** What is acquired here is given back in reverse order. */
  async #run(halt: LinkedAbort): Promise<void> {
    const { signal } = halt;
    await using _http = await this.#serve();
    await using _informers = { [Symbol.asyncDispose]: () => this.#disposeInformers() };
    using waiting = new Waiting(this.health);
    await this.#reach(signal, waiting);
    await using _kinds = this.#followKinds();
    await using _webhooks = await this.#listen(signal, waiting);
    await using _crews = { [Symbol.asyncDispose]: () => this.#dismiss(halt) };
    await this.#prepare(signal, waiting);
    await this.#warm(signal, waiting);
    await using _told = this.#tellHealth();
    await using _events = { [Symbol.asyncDispose]: () => this.events.flush() };
    await using _everywhere = this.#startEverywhere(halt);
    await this.#contend(halt);
  }

  async #serve(): Promise<AsyncDisposable> {
    const { metricsAddr: address } = this.#options;
    const over = new AbortController();
    if (address === undefined) return { [Symbol.asyncDispose]: async () => undefined };
    const { metrics, health } = this;
    const server = await serveMetrics({ address, metrics, health }, over.signal);
    this.#log.info("serving metrics and health", { url: server.url });
    return {
      [Symbol.asyncDispose]: async () => {
        over.abort();
        await server.closed;
      },
    };
  }

  /** Waits for the server. */
  async #reach(signal: AbortSignal, waiting: Waiting): Promise<void> {
    waiting.tell("start", cold);
    await untilReachable(this.#options.client, signal, {
      clock: this.#clock,
      log: this.#log,
      onFailure: (reason) => waiting.tell("api-server", reason),
    });
  }

  #followKinds(): AsyncDisposable {
    const { client } = this.#options;
    const { informers } = this;
    return new NewKinds({ client, informers, clock: this.#clock, logger: this.#log }).start();
  }

  /** Waits for the certificates of the webhooks; a port that cannot be had is fatal. */
  async #listen(signal: AbortSignal, waiting: Waiting): Promise<AsyncDisposable> {
    const server = this.#admission;
    if (server === undefined) return { [Symbol.asyncDispose]: async () => undefined };
    await persist(() => server.listen(signal), signal, {
      clock: this.#clock,
      log: this.#log,
      what: "serve webhooks",
      onFailure: (reason) => waiting.tell("webhooks", reason),
      isFatal: (error) => !(error instanceof ApiError),
    });
    waiting.tell("webhooks", undefined);
    const check = this.health.ready("webhooks", server.check);
    return {
      [Symbol.asyncDispose]: async () => {
        check[Symbol.dispose]();
        await server.close(this.#times.webhooks);
      },
    };
  }

  /** What ignores its signal is left behind after a moment. */
  async #prepare(signal: AbortSignal, waiting: Waiting): Promise<void> {
    const { prepare, client } = this.#options;
    if (prepare === undefined) return;
    const clock = this.#clock;
    const log = this.#log.child({ task: "prepare" });
    waiting.tell("start", "preparing");
    const preparing = persist(() => prepare({ client, clock, log, signal }), signal, {
      clock,
      log,
      what: "prepare",
      onFailure: (reason) => waiting.tell("start", `preparing: ${reason}`),
    });
    try {
      await unlessAborted(preparing, signal);
    } finally {
      await within(
        clock,
        this.#times.grace,
        preparing.catch(() => undefined),
      );
    }
    waiting.tell("start", cold);
  }

  /** Waits for every cache; /readyz names what is missing. */
  async #warm(signal: AbortSignal, waiting: Waiting): Promise<void> {
    using warming = new LinkedAbort(signal);
    const telling = tellMissingCaches(this.informers, waiting, this.#clock, warming.signal);
    try {
      const crews = [this.#leaders, this.#everywhere].map((crew) => crew.warm(signal));
      await Promise.all([...crews, this.#admission?.synced(signal)]);
    } finally {
      warming.abort();
      await telling;
    }
    this.#log.info("caches are synced", { caches: this.informers.report().length });
    waiting.tell("start", undefined);
  }

  /** What /readyz knows once the start is over. */
  #tellHealth(): AsyncDisposable {
    const over = new AbortController();
    const following = this.#freshness.follow(over.signal);
    const checks = [this.health.ready("caches", this.#freshness.check)];
    if (this.#election !== undefined) {
      checks.push(this.health.ready("leadership", () => this.#whoLeads()));
    }
    return {
      [Symbol.asyncDispose]: async () => {
        for (const check of checks) check[Symbol.dispose]();
        over.abort();
        await following;
      },
    };
  }

  /** Never a failure: a standby is ready, and requests need no leader. */
  #whoLeads(): string {
    if (this.#leadership !== undefined)
      return `this process leads (term ${this.#leadership.token})`;
    const leader = this.#election?.leader;
    return leader === undefined ? "nobody leads" : `${leader} leads`;
  }

  /** However the run ends: whoever still warms, works or only holds caches lets go of them. */
  async #dismiss(halt: LinkedAbort): Promise<void> {
    halt.abort(new DOMException("the operator stops", "AbortError"));
    await Promise.all([this.#leaders.drain(), this.#everywhere.drain()]);
  }

  #startEverywhere(halt: LinkedAbort): AsyncDisposable {
    this.#guard(this.#everywhere.work(never), halt);
    void aborted(halt.signal).then(() => this.#everywhere.drain()); // beside whatever the election still does
    return { [Symbol.asyncDispose]: () => this.#everywhere.drain() };
  }

  /** Leads as soon as it may, until the operator halts. */
  async #contend(halt: LinkedAbort): Promise<void> {
    if (this.#election === undefined) await this.#lead(halt, never);
    else await this.#elect(this.#election, halt);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #elect(election: LeaderElection, halt: LinkedAbort): Promise<void> {
    await election.run(halt.signal, {
      onStarted: (leader) => {
        this.#leadership = leader;
        return this.#lead(halt, leader.signal);
      },
      onStopped: () => {
        this.#leadership = undefined;
      },
    });
  }

  /** Resolves when the leader's work has drained, or was cut off by the loss of the lease. */
  async #lead(halt: LinkedAbort, lost: AbortSignal): Promise<void> {
    this.#guard(this.#leaders.work(lost), halt);
    this.#log.info("controllers are running");
    await Promise.race([aborted(halt.signal), aborted(lost)]);
    if (lost.aborted) return this.#cutOff();
    this.#log.info("stopping the controllers");
    await Promise.all([this.#leaders.drain(), this.#everywhere.drain()]);
    await this.events.flush();
  }

  /** Another process may lead now: nothing gets time to end by itself. */
  async #cutOff(): Promise<void> {
    await Promise.all([this.#leaders.drain(0), this.#everywhere.drain(0)]);
  }

  /** A controller that fails by itself halts the operator. */
  #guard(work: Promise<void>, halt: LinkedAbort): void {
    work.catch((error: unknown) => {
      this.#failure ??= { error };
      halt.abort(error);
    });
  }

  #checkLease(): void {
    if (this.#election === undefined) return;
    if (this.#leadership === undefined) throw new LeaseLost("this process does not lead");
    this.#leadership.check();
  }

  #candidate({ client, ...options }: OperatorElection): LeaderElection {
    return new LeaderElection(client ?? this.#options.client, {
      releaseTimeout: this.#times.release,
      ...options,
      clock: this.#clock,
      logger: this.#log,
      metrics: this.metrics.election(`${options.namespace}/${options.name}`),
      events: this.events,
    });
  }

  #crew(
    on: "leader" | "everywhere",
    controllers: readonly AnyController[] = [],
    deps: Pick<RunnerDeps, "client">,
  ): Crew {
    const { drain: drainTimeout, grace } = this.#times;
    const members = [...this.#controllers(controllers, deps), ...this.#tasks(on, deps.client)];
    return new Crew(members, { clock: this.#clock, log: this.#log, drainTimeout, grace });
  }

  #controllers(
    controllers: readonly AnyController[],
    deps: Pick<RunnerDeps, "client">,
  ): readonly Member[] {
    const { fieldManagerPrefix = `${this.name}-` } = this.#options;
    const { events, metrics } = this;
    const shared = {
      informers: this.#freshness,
      events,
      metrics,
      clock: this.#clock,
      logger: this.#log,
    };
    const all = { ...deps, ...shared, fieldManagerPrefix };
    return controllers.map((controller) => ({
      name: controller.name,
      runner: new ControllerRunner(controller, all),
    }));
  }

  #webhooks(): AdmissionServer | undefined {
    const { admission, client, fieldManagerPrefix = `${this.name}-` } = this.#options;
    if (admission === undefined) return undefined;
    return new AdmissionServer(admission, {
      client,
      informers: this.#freshness,
      clock: this.#clock,
      logger: this.#log,
      metrics: this.metrics,
      fieldManager: `${fieldManagerPrefix}admission`,
    });
  }

  #tasks(on: "leader" | "everywhere", client: Client): readonly Member[] {
    const context = { client, clock: this.#clock, log: this.#log };
    const tasks: readonly Task[] = [
      ...(this.#options.tasks ?? []),
      ...(this.#admission?.tasks ?? []),
    ];
    return tasks
      .filter((task) => (task.on ?? "leader") === on)
      .map((task) => ({ name: task.name, runner: new TaskRunner(task, context) }));
  }

  async #disposeInformers(): Promise<void> {
    if (this.#options.informers === undefined) await this.informers.dispose();
  }
}

function isAbort(error: unknown, { reason }: AbortSignal): boolean {
  return error === reason || (error instanceof Error && error.name === "AbortError");
}

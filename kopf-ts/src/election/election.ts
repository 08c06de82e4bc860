import { aborted, type Clock, type Logger, silentLogger, systemClock } from "../base/index.ts";
import type { Client } from "../kube/index.ts";
import type { ElectionMetrics } from "../observe/index.ts";
import { instantOf, type Leadership, LeaseLost } from "./leadership.ts";
import { heldLease, isOfTerm, type LeaseObject, microTime, type Term } from "./lease.ts";
import { LeaseClient } from "./lease-client.ts";
import { followLease } from "./lease-watch.ts";
import { Nap } from "./nap.ts";
import { Observation } from "./observation.ts";
import {
  checkedTiming,
  defaultIdentity,
  type ElectionOptions,
  type ElectionTiming,
} from "./options.ts";
import { Tenure } from "./tenure.ts";

/** What happens in an election. */
export interface ElectionCallbacks {
  /**
   * Called when this process leads. A promise it returns is the leader's work: on a clean stop the lease is renewed until it settles and
   * only then released, so that no successor starts while work drains. If it rejects, the lease is released and `run` rejects with it.
   */
  onStarted(leader: Leadership): void | Promise<void>;
  /** Called when this process no longer leads: after the release, or after the loss. */
  onStopped?(): void;
  /** Called when another leader is seen, this process included; undefined: nobody leads. */
  onNewLeader?(identity: string | undefined): void;
}

/** Milliseconds that one request of a candidate may take: a stop waits for it. */
const LONGEST_TRY = 10_000;

/** A try to take the lease; its answer may get lost. */
interface Attempt {
  readonly term: Term;
  readonly started: ReturnType<typeof instantOf>;
  /** Whether there was no lease to replace. */
  readonly isCreate: boolean;
}

/**
 * Elects one of several processes through a Lease (the algorithm and the record are client-go's). At most one leads at a time as long as
 * their clocks run at about the same speed; what they may differ by is the ratio of leaseDuration to renewDeadline. Clocks need not agree
 * on the time, and identities need not differ. A Lease does not stop requests in flight: ask `leader.check()` before each write, and give
 * writes preconditions.
 *
 * Renewals need an event loop that turns at least once per renewDeadline, and a connection: a client of the election's own keeps its requests
 * from queueing behind others.
 */
export class LeaderElection {
  /** Names this process in the Lease. */
  readonly identity: string;
  readonly #client: Client;
  readonly #leases: LeaseClient;
  readonly #timing: Required<ElectionTiming>;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: ElectionMetrics | undefined;
  readonly #events: ElectionOptions["events"];
  readonly #releaseTimeout: number;
  readonly #observed: Observation;
  readonly #nap: Nap;
  #attempt: Attempt | undefined;
  #tenure: Tenure | undefined;
  #reported: string | undefined;
  #running = false;

  /** Throws a TypeError unless leaseDuration > renewDeadline > retryPeriod x 1.2. */
  constructor(client: Client, options: ElectionOptions) {
    this.identity = options.identity ?? defaultIdentity();
    this.#client = client;
    this.#leases = new LeaseClient(client, options);
    this.#timing = checkedTiming(options);
    this.#clock = options.clock ?? systemClock;
    this.#log = (options.logger ?? silentLogger).child({
      lease: `${options.namespace}/${options.name}`,
      identity: this.identity,
    });
    this.#metrics = options.metrics;
    this.#events = options.events;
    this.#releaseTimeout = options.releaseTimeout ?? 5000;
    this.#observed = new Observation(this.#timing.leaseDuration);
    this.#nap = new Nap(this.#clock);
  }

  /** Who holds the lease as far as this process has seen; undefined: nobody. */
  get leader(): string | undefined {
    return this.#observed.holder;
  }

  /**
   * Stands for election until the signal aborts; leads at most once. Resolves after a clean stop. Rejects with LeaseLost when the lease was
   * lost: the process should exit then, since requests of its leadership may still be on their way.
   */
  async run(signal: AbortSignal, callbacks: ElectionCallbacks): Promise<void> {
    if (this.#running) throw new Error("this election runs already");
    this.#running = true;
    this.#metrics?.leading(false);
    const over = new AbortController();
    const following = this.#follow(over.signal);
    try {
      this.#tenure = await this.#acquire(signal, callbacks);
      if (this.#tenure === undefined) return;
      if (signal.aborted)
        await this.#release(this.#tenure); // won only while it stopped
      else await this.#lead(this.#tenure, signal, callbacks);
    } finally {
      over.abort();
      await following;
      this.#tenure = undefined;
      this.#running = false;
    }
  }

  /** Sees a release, a renewal or a theft when it happens instead of at the next attempt. */
  #follow(signal: AbortSignal): Promise<void> {
    const { namespace, name } = this.#leases;
    const onLease = (lease: LeaseObject): void => {
      this.#observed.hear(lease, this.#clock.monotonic());
      this.#tenure?.noticed(lease);
      if (this.#observed.timeLeft(this.#clock.monotonic()) <= 0) this.#nap.wake();
    };
    return followLease(this.#client, { namespace, name, clock: this.#clock, onLease }, signal);
  }

  /** Tries until the lease is won; undefined when the signal aborts first. */
  async #acquire(signal: AbortSignal, callbacks: ElectionCallbacks): Promise<Tenure | undefined> {
    this.#log.info("waiting for the lease");
    let failures = 0;
    while (!signal.aborted) {
      try {
        const tenure = await this.#tryAcquire(signal);
        failures = 0;
        this.#report(callbacks);
        if (tenure !== undefined) return tenure;
      } catch (error) {
        if (signal.aborted) break;
        const level = failures++ === 0 ? "warn" : "debug"; // once: every two seconds helps nobody
        this.#log[level]("cannot read or write the lease, trying on", { error });
      }
      await this.#nap.sleep(this.#untilNextTry(), signal);
    }
    return undefined;
  }

  async #tryAcquire(signal: AbortSignal): Promise<Tenure | undefined> {
    const timeout = Math.min(this.#timing.renewDeadline / 2, LONGEST_TRY);
    const asked = this.#clock.monotonic();
    const stored = await this.#leases.read({ signal, timeout });
    this.#observed.see(stored, this.#clock.monotonic(), asked);
    const earlier = this.#attempt;
    this.#attempt = undefined;
    if (stored !== undefined && earlier !== undefined && isOfTerm(stored, earlier.term)) {
      return this.#wonUnlessReplacing(stored, earlier); // it was written, only the answer got lost
    }
    if (this.#observed.timeLeft(this.#clock.monotonic()) > 0) return undefined;

    const attempt: Attempt = {
      term: this.#nextTerm(),
      started: instantOf(this.#clock),
      isCreate: stored === undefined,
    };
    this.#attempt = attempt;
    const wanted = heldLease(stored ?? this.#leases, attempt.term, attempt.term.acquireTime);
    // not under the signal: a stop must not leave a lease behind that nobody releases
    const written = await this.#leases.write(wanted, { timeout });
    if (written === undefined) return undefined; // somebody was faster
    this.#observed.see(written, this.#clock.monotonic());
    return this.#wonUnlessReplacing(written, attempt);
  }

  /**
   * A create that was long on its way may find that another one's lease came and was deleted meanwhile: its holder need not know yet. Such a lease counts as anybody's, to be
   * taken, by a term of its own, when its time is over. A stop does not release it either: others would take it at once.
   */
  #wonUnlessReplacing(lease: LeaseObject, attempt: Attempt): Tenure | undefined {
    if (attempt.isCreate && this.#observed.wasReplaced(this.#clock.monotonic())) {
      this.#log.warn("the lease of another process was deleted, waiting until its time is over");
      this.#attempt = undefined;
      return undefined;
    }
    return this.#won(lease, attempt);
  }

  #nextTerm(): Term {
    return {
      identity: this.identity,
      leaseDuration: this.#timing.leaseDuration,
      acquireTime: microTime(this.#clock.now()),
      transitions: this.#observed.nextTransitions,
    };
  }

  #won(lease: LeaseObject, attempt: Attempt): Tenure {
    const deps = {
      leases: this.#leases,
      timing: this.#timing,
      releaseTimeout: this.#releaseTimeout,
      clock: this.#clock,
      log: this.#log,
      metrics: this.#metrics,
    };
    return new Tenure(deps, { lease, ...attempt });
  }

  /** Some spread around the retry period, so that candidates do not ask in step; no later than the lease can be taken. */
  #untilNextTry(): number {
    const period = this.#timing.retryPeriod * (0.8 + 0.4 * Math.random());
    const left = this.#observed.timeLeft(this.#clock.monotonic());
    return left > 0 ? Math.min(period, left) : period;
  }

  /** Leads until the signal aborts and the work has ended, or until the lease is lost. */
  async #lead(tenure: Tenure, signal: AbortSignal, callbacks: ElectionCallbacks): Promise<void> {
    const { leadership } = tenure;
    this.#log.info("became leader", { transitions: leadership.token });
    this.#metrics?.leading(true);
    this.#recordEvent();
    const over = new AbortController();
    const keeping = tenure.keep(over.signal);
    const work = (async () => callbacks.onStarted(leadership))();
    try {
      await Promise.race([work.then(() => aborted(signal)), aborted(leadership.signal)]);
    } finally {
      over.abort();
      await keeping;
      if (leadership.signal.aborted) await this.#waitAfterLoss(work);
      else await this.#release(tenure);
      this.#metrics?.leading(false);
      callbacks.onStopped?.();
    }
    if (leadership.signal.reason instanceof LeaseLost) throw leadership.signal.reason;
  }

  async #release(tenure: Tenure): Promise<void> {
    try {
      const released = await tenure.release();
      if (released) this.#log.info("released the lease");
    } catch (error) {
      this.#log.warn("could not release the lease, a successor has to wait for its end", { error });
    }
  }

  /** What the leader began may end until another process can have taken over. */
  async #waitAfterLoss(work: Promise<void>): Promise<void> {
    this.#log.error("lost the lease");
    const { leaseDuration, renewDeadline } = this.#timing;
    const enough = new AbortController();
    const settled = work.then(
      () => undefined,
      () => undefined,
    );
    const margin = this.#clock.sleep(leaseDuration - renewDeadline, enough.signal);
    await Promise.race([settled, margin.catch(() => undefined)]);
    enough.abort();
  }

  #report(callbacks: ElectionCallbacks): void {
    const { leader } = this;
    if (leader === this.#reported) return;
    this.#reported = leader;
    if (leader !== undefined && leader !== this.identity) {
      this.#log.info("another process leads", { leader });
    }
    callbacks.onNewLeader?.(leader);
  }

  #recordEvent(): void {
    const { namespace, name } = this.#leases;
    this.#events?.event(
      {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { namespace, name },
      },
      { type: "Normal", reason: "LeaderElection", message: `${this.identity} became leader` },
    );
  }
}

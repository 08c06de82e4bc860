import type { Clock, Logger } from "../base/index.ts";
import type { RequestOptions } from "../kube/index.ts";
import type { ElectionMetrics } from "../observe/index.ts";
import { HeldLeadership, instantOf, type Leadership, LeaseLost } from "./leadership.ts";
import {
  heldLease,
  holderOf,
  isOfTerm,
  type LeaseObject,
  microTime,
  releasedLease,
  type Term,
} from "./lease.ts";
import type { LeaseClient } from "./lease-client.ts";
import { Nap } from "./nap.ts";
import type { ElectionTiming } from "./options.ts";

/** What a tenure works with. */
export interface TenureDeps {
  readonly leases: LeaseClient;
  readonly timing: Required<ElectionTiming>;
  /** Milliseconds. */
  readonly releaseTimeout: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ElectionMetrics | undefined;
}

/** One term in office, from the won lease to its release or loss. */
export class Tenure {
  readonly #deps: TenureDeps;
  readonly #term: Term;
  readonly #held: HeldLeadership;
  readonly #nap: Nap;
  #lease: LeaseObject;

  /** `started` is when the request that won the lease was sent. */
  constructor(
    deps: TenureDeps,
    {
      lease,
      term,
      started,
    }: { lease: LeaseObject; term: Term; started: ReturnType<typeof instantOf> },
  ) {
    this.#deps = deps;
    this.#lease = lease;
    this.#term = term;
    this.#nap = new Nap(deps.clock);
    this.#held = new HeldLeadership({
      clock: deps.clock,
      token: term.transitions,
      renewDeadline: deps.timing.renewDeadline,
      onDoubt: this.#nap.wake,
    });
    this.#held.renewed(started);
  }

  get leadership(): Leadership {
    return this.#held;
  }

  /** A sign that somebody else may have taken the lease; the server decides. */
  noticed(lease: LeaseObject): void {
    if (!isOfTerm(lease, this.#term)) this.#nap.wake();
  }

  /** Renews until `over` aborts, which also ends a renewal that is on its way, or the lease is lost; never rejects. */
  async keep(over: AbortSignal): Promise<void> {
    const watchdog = this.#watchdog();
    const end = AbortSignal.any([over, this.#held.signal]);
    while (!end.aborted) {
      await this.#nap.sleep(this.#deps.timing.retryPeriod, end);
      if (!end.aborted) await this.#renew(end);
    }
    watchdog[Symbol.dispose]();
  }

  /** Empties the lease, so that the next candidate need not wait; true when it was ours to empty. Nothing may be done under it afterwards. */
  async release(): Promise<boolean> {
    const { leases, clock, releaseTimeout } = this.#deps;
    const end = clock.monotonic() + releaseTimeout;
    const left = (): RequestOptions => ({ timeout: Math.max(1, end - clock.monotonic()) });
    try {
      for (let attempt = 0; attempt < 3; attempt++) {
        const released = releasedLease(this.#lease, microTime(clock.now()));
        if ((await leases.write(released, left())) !== undefined) return true;
        const stored = await leases.read(left());
        if (stored === undefined || !isOfTerm(stored, this.#term)) return false;
        this.#lease = stored;
      }
      return false;
    } finally {
      this.#held.lose(new DOMException("the lease was released", "AbortError"));
    }
  }

  /** Loses the lease at its deadline, whatever the renewals do. */
  #watchdog(): Disposable {
    const { clock, timing } = this.#deps;
    const look = (): void => {
      const left = this.#held.timeLeft();
      if (left > 0) timer = clock.after(left, look);
      else
        this.#held.lose(new LeaseLost(`the lease was not renewed for ${timing.renewDeadline} ms`));
    };
    let timer = clock.after(this.#held.timeLeft(), look);
    return { [Symbol.dispose]: () => timer.cancel() };
  }

  async #renew(signal: AbortSignal): Promise<void> {
    try {
      for (let attempt = 0; attempt < 3; attempt++) {
        if ((await this.#write(signal)) || !(await this.#reread(signal))) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#deps.log.warn("cannot renew the lease", { error, timeLeft: this.#held.timeLeft() });
    }
  }

  /** True when the lease is renewed, false when somebody wrote it meanwhile. */
  async #write(signal: AbortSignal): Promise<boolean> {
    const { leases, clock } = this.#deps;
    const started = instantOf(clock);
    const renewed = heldLease(this.#lease, this.#term, microTime(clock.now()));
    const written = await leases.write(renewed, this.#requestOptions(signal));
    if (written === undefined) return false;
    this.#lease = written;
    this.#held.renewed(started);
    return true;
  }

  /**
   * Finds out who wrote: an answer of ours that got lost, a label, a deletion, or another holder. False when the lease is lost. A lease
   * that was deleted is made anew under the same term, since candidates who saw it still wait.
   */
  async #reread(signal: AbortSignal): Promise<boolean> {
    const { leases, metrics } = this.#deps;
    metrics?.slowPath();
    const stored = await leases.read(this.#requestOptions(signal));
    if (stored === undefined) {
      this.#lease = heldLease(leases, this.#term, this.#term.acquireTime);
      return true;
    }
    if (!isOfTerm(stored, this.#term)) {
      this.#held.lose(new LeaseLost(`the lease was taken by ${holderOf(stored) ?? "nobody"}`));
      return false;
    }
    this.#lease = stored;
    return true;
  }

  #requestOptions(signal: AbortSignal): RequestOptions {
    const { renewDeadline } = this.#deps.timing;
    const timeout = Math.max(1, Math.min(renewDeadline / 2, this.#held.timeLeft()));
    return { timeout, signal };
  }
}

import {
  type BackoffOptions,
  type Clock,
  exponential,
  fullJitter,
  type Logger,
  messageOf,
} from "../base/index.ts";
import type { InformerReport } from "../cache/index.ts";
import { type ClusterConfig, isTooManyRequests, isUnauthorized } from "../kube/index.ts";
import type { Cluster } from "./cluster.ts";
import { probe } from "./reach.ts";
import { isSameConfig } from "./same-config.ts";
import { unlessAborted } from "./within.ts";

/** That a cluster does not answer, or not to us. */
export interface Silence {
  /** Wall time in milliseconds. */
  readonly since: number;
  readonly reason: string;
}

/** What keeping in contact with a cluster takes. */
export interface ContactOptions {
  readonly cluster: Cluster;
  /** What the cluster was engaged with; undefined for the hub. */
  readonly config: ClusterConfig | undefined;
  /** Asks for the config anew; undefined where nothing else can be the answer. */
  readonly ask: ((signal: AbortSignal) => Promise<ClusterConfig>) | undefined;
  /** Milliseconds after which a cluster that does not answer is asked for anew; one that refuses our credentials is at once. */
  readonly unreachableAfter: number;
  /** Waits between two questions. */
  readonly backoff: BackoffOptions;
  readonly clock: Clock;
  readonly log: Logger;
  /** Told after each look that had a reason: why the cluster does not answer, undefined when it does. */
  readonly onLook: (silence: Silence | undefined) => void;
}

/** Milliseconds between two looks at the watches, at most. */
const look = 1000;
/** Between two requests to a cluster that is silent. */
const pace = { min: look, max: 10_000 };
/** Reasons of watches that only concern one kind: the server answers. */
const refusals: ReadonlySet<string> = new Set(["Forbidden", "NotFound"]);

/**
 * Notices when a cluster no longer answers, and looks for another way to it. The watches tell first; then a request decides, so that one odd
 * resource counts for nothing. While they are well this costs no request; without watches there is one every `unreachableAfter`.
 */
export class Contact {
  readonly #options: ContactOptions;
  #silence: (Silence & { readonly at: number; readonly refused: boolean }) | undefined;
  #failures = 0;
  #probedAt: number;
  #questions = 0;
  #nextQuestion = 0;

  constructor(options: ContactOptions) {
    this.#options = options;
    this.#probedAt = options.clock.monotonic();
  }

  /** Resolves with the config that the source gives now, once the cluster is silent and it is another one. Rejects when the signal aborts. */
  async other(signal: AbortSignal): Promise<ClusterConfig> {
    const { clock } = this.#options;
    for (;;) {
      await clock.sleep(fullJitter(exponential(this.#failures, pace)) / 2, signal);
      if (!this.#isDoubtful()) continue;
      await this.#look(signal);
      const config = await this.#ask(signal);
      if (config !== undefined) return config;
    }
  }

  #isDoubtful(): boolean {
    if (this.#silence !== undefined) return true;
    const { cluster, clock, unreachableAfter } = this.#options;
    const reports = cluster.informers.report();
    if (reports.length > 0) return reports.some(isUnwell);
    return clock.monotonic() - this.#probedAt >= unreachableAfter;
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { cluster, clock, log, onLook } = this.#options;
    const failure = await probe(cluster.client, signal);
    this.#probedAt = clock.monotonic();
    if (failure === undefined || isTooManyRequests(failure)) {
      if (this.#silence !== undefined) log.info("the cluster answers again");
      this.#silence = undefined;
      this.#failures = this.#questions = this.#nextQuestion = 0;
    } else {
      const { since, at } = this.#silence ?? { since: clock.now(), at: this.#probedAt };
      const reason = messageOf(failure);
      if (this.#silence === undefined) log.warn("the cluster does not answer", { reason });
      this.#silence = { since, at, reason, refused: isUnauthorized(failure) };
      this.#failures++;
    }
    onLook(this.#silence);
  }

  /** Another config than the present one; undefined when it is not yet time to ask, or there is none. */
  async #ask(signal: AbortSignal): Promise<ClusterConfig | undefined> {
    const { ask, clock, backoff, config: former, log } = this.#options;
    if (ask === undefined || former === undefined) return;
    if (this.#silence === undefined || !this.#isTime(this.#silence)) return;
    try {
      const config = await ask(signal);
      const comparing = isSameConfig(former, config, { identity: this.#silence.refused });
      return (await unlessAborted(comparing, signal)) ? undefined : config;
    } catch (error) {
      signal.throwIfAborted();
      log.warn("cannot find another way to the cluster", { error });
      return undefined;
    } finally {
      const delay = fullJitter(exponential(this.#questions++, backoff)) / 2;
      this.#nextQuestion = clock.monotonic() + delay;
    }
  }

  #isTime({ refused, at }: { readonly refused: boolean; readonly at: number }): boolean {
    const { clock, unreachableAfter } = this.#options;
    const now = clock.monotonic();
    return now >= this.#nextQuestion && (refused || now - at >= unreachableAfter);
  }
}

function isUnwell({ state }: InformerReport): boolean {
  return state.phase === "degraded" && !refusals.has(state.reason);
}

/** One subscription to several clusters (`clusters` in a message of /v1/subscribe). */

import { type BackoffOptions, type Clock, exponential, type Timer } from "kopf-ts";
import type { Access } from "../access/access.ts";
import { type Problem, problem, problemOf } from "../problem.ts";
import type { ClusterNames } from "../query/clusters.ts";
import { Slices } from "../slices.ts";
import type { SeveralAsked, SeveralWatch, SeveralWatches } from "../subscribe/index.ts";
import type { ClusterSource } from "./cluster-source.ts";
import { type Clusters, noSuchCluster, type Outcome, type Place } from "./clusters.ts";
import { Part } from "./part.ts";

/** What such subscriptions need. */
export interface SeveralWatchParts {
  readonly clusters: Clusters;
  readonly clock: Clock;
}

/** Milliseconds that a subscription waits with its start for clusters that take their time; later ones join it. */
const patience = 1_000;
/** Milliseconds until clusters that refuse are asked again. */
const retry: BackoffOptions = { min: 2_000, max: 30_000 };

const unknown = problem("ClusterUnavailable", "which clusters there are is not known");
const tooMany = problem("TooManyRequests", "too many watches: not all clusters are watched");

/**
 * Serves subscriptions to several clusters. Guarantees: a cluster that fails, is away or goes ends nothing but its own part, which is told; it joins when it can be watched,
 * and whenever that is after the start, subscribers are told up to which revision there is something to list. Under which rights, each cluster says.
 */
export function watchOfClusters(parts: SeveralWatchParts): SeveralWatches {
  return (asked) => new Several(parts, asked);
}

/** By the names of the clusters. */
type Outcomes = ReadonlyMap<string, Promise<Outcome<object>>>;

class Several implements SeveralWatch {
  readonly #parts: SeveralWatchParts;
  readonly #asked: SeveralAsked;
  readonly #ended = new AbortController();
  readonly #slices: Slices;
  readonly #changes: Disposable;
  /** By the names of their clusters. */
  readonly #watches = new Map<string, Part>();
  /** Clusters that were asked and have refused, or did not answer; of others it is told when they can be asked. */
  #refused = new Set<string>();
  #access: Access;
  #started = false;
  /** What went wrong last that is about no cluster of its own. */
  #problem: Problem | undefined;
  /** Which clusters there are is being looked up. */
  #isLooking = false;
  /** That may have changed meanwhile. */
  #looksAgain = false;
  #timer: Timer | undefined;
  /** All have to be asked later, not only those that have refused. */
  #asksAll = false;
  /** Attempts since something changed. */
  #attempts = 0;

  constructor(parts: SeveralWatchParts, asked: SeveralAsked) {
    this.#parts = parts;
    this.#asked = asked;
    this.#access = asked.access;
    this.#slices = new Slices(parts.clock, this.#ended.signal);
    this.#changes = parts.clusters.onChange(() => this.#changed());
    void this.#begin();
  }

  accessChanged(access: Access): void {
    this.#access = access;
    this.#changed();
  }

  [Symbol.dispose](): void {
    this.#ended.abort();
    this.#changes[Symbol.dispose]();
    this.#timer?.cancel();
    for (const part of this.#watches.values()) {
      part[Symbol.dispose]();
      this.#asked.give();
    }
    this.#watches.clear();
  }

  async #begin(): Promise<void> {
    const { clock } = this.#parts;
    const late = clock.sleep(patience, this.#ended.signal).catch(() => undefined);
    await Promise.race([this.#look(), late]);
    if (this.#ended.signal.aborted) return;
    this.#asked.started();
    this.#started = true;
    if (this.#problem !== undefined) this.#asked.failed(undefined, this.#problem);
    for (const part of this.#watches.values()) part.start();
  }

  #changed(): void {
    this.#attempts = 0;
    void this.#look();
  }

  /** Asks all clusters that there are now; those that are watched already just go on. Resolves when each has said something. */
  async #look(): Promise<void> {
    this.#looksAgain = this.#isLooking;
    if (this.#isLooking) return;
    this.#isLooking = true;
    const outcomes = await this.#ask(this.#asked.names);
    this.#isLooking = false;
    if (this.#ended.signal.aborted) return;
    if (this.#looksAgain) return this.#look();
    if (outcomes === undefined) return this.#lookLater(true);
    this.#forgetOthers(outcomes);
    await this.#hear(outcomes);
  }

  /** Asks those that have refused. */
  async #askAgain(): Promise<void> {
    const names = [...this.#refused];
    this.#refused = new Set();
    const outcomes = await this.#ask(names);
    if (this.#ended.signal.aborted) return;
    if (outcomes === undefined) this.#lookLater(true);
    else await this.#hear(outcomes);
  }

  #lookLater(all: boolean): void {
    this.#asksAll ||= all;
    const wait = exponential(this.#attempts, retry);
    this.#timer ??= this.#parts.clock.after(wait, () => {
      this.#timer = undefined;
      this.#attempts++;
      void (this.#asksAll ? this.#look() : this.#askAgain());
      this.#asksAll = false;
    });
  }

  /** Undefined while nobody can tell which clusters there are. */
  async #ask(names: ClusterNames): Promise<Outcomes | undefined> {
    const { caller, scope, base } = this.#asked;
    const { signal } = this.#ended;
    try {
      await this.#slices.turn(); // many may have something to ask at once
      return await this.#parts.clusters.askEach(
        names,
        { caller, scope, base, access: this.#access, signal },
        (source, place) => this.#open(source, place),
      );
    } catch (thrown) {
      if (!signal.aborted) this.#tell(problemOf(thrown) ?? unknown);
      return undefined;
    }
  }

  async #open(source: ClusterSource, place: Place): Promise<object> {
    const { signal } = this.#ended;
    signal.throwIfAborted();
    const part = this.#part(place.cluster);
    if (part === undefined) throw tooMany;
    try {
      return await part.open(source, place);
    } catch (thrown) {
      this.#refused.add(place.cluster);
      if (!signal.aborted) this.#lookLater(false);
      throw thrown;
    }
  }

  /** What is about no cluster of its own is told when it is another one than before. */
  #tell(problem: Problem): void {
    if (this.#problem?.message === problem.message) return;
    this.#problem = problem;
    if (this.#started) this.#asked.failed(undefined, problem);
  }

  /** Clusters that there are no more, or that the caller may not know of any more. */
  #forgetOthers(outcomes: Outcomes): void {
    if (this.#problem !== tooMany) this.#problem = undefined;
    for (const [name, part] of this.#watches) {
      if (outcomes.has(name)) continue;
      this.#refused.delete(name);
      part.fail(noSuchCluster());
      part[Symbol.dispose]();
      this.#watches.delete(name);
      this.#asked.give();
    }
  }

  async #hear(outcomes: Outcomes): Promise<void> {
    await Promise.all([...outcomes.values()].map(async (each) => this.#hearOne(await each)));
  }

  #hearOne(outcome: Outcome<object>): void {
    if (this.#ended.signal.aborted || "answer" in outcome) return;
    const part = this.#part(outcome.cluster);
    if (part === undefined) this.#tell(tooMany);
    else part.fail(outcome.problem);
  }

  /** Undefined where the caller may have no more watches. */
  #part(name: string): Part | undefined {
    const known = this.#watches.get(name);
    if (known !== undefined) return known;
    if (!this.#asked.take()) return undefined;
    const part = new Part(name, this.#asked, {
      hasStarted: () => this.#started,
      onEnd: () => this.#changed(),
      onNews: () => {
        this.#attempts = 0;
        if (this.#refused.has(name)) void this.#askAgain();
      },
    });
    this.#watches.set(name, part);
    return part;
  }
}

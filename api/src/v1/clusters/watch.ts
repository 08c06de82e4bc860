/** One subscription to several clusters (`clusters` in a message of /v1/subscribe). */

import type { Clock, Timer } from "kopf-ts";
import type { Access } from "../access/access.ts";
import { type Problem, problem, problemOf } from "../problem.ts";
import type { SeveralAsked, SeveralWatch, SeveralWatches } from "../subscribe/index.ts";
import { type Clusters, noSuchCluster, type Outcome } from "./clusters.ts";
import { Part } from "./part.ts";

/** What such subscriptions need. */
export interface SeveralWatchParts {
  readonly clusters: Clusters;
  readonly clock: Clock;
}

/** Milliseconds that a subscription waits with its start for clusters that take their time; later ones join it. */
const patience = 1_000;
/** Milliseconds until clusters that cannot be watched are tried again. */
const retry = 2_000;

const unknown = problem("ClusterUnavailable", "which clusters there are is not known");

/**
 * Serves subscriptions to several clusters. Guarantees: a cluster that fails, is away or goes ends nothing but its own part, which is told; it joins when it can be watched,
 * and whenever that is after the start, subscribers are told up to which revision there is something to list. Under which rights, each cluster says.
 */
export function watchOfClusters(parts: SeveralWatchParts): SeveralWatches {
  return (asked) => new Several(parts, asked);
}

class Several implements SeveralWatch {
  readonly #parts: SeveralWatchParts;
  readonly #asked: SeveralAsked;
  readonly #ended = new AbortController();
  readonly #changes: Disposable;
  /** By the names of their clusters. */
  readonly #watches = new Map<string, Part>();
  #access: Access;
  #started = false;
  /** It was told that nobody knows which clusters there are. */
  #isUnknown = false;
  /** Which clusters there are is being looked up. */
  #isLooking = false;
  /** That may have changed meanwhile. */
  #looksAgain = false;
  #timer: Timer | undefined;

  constructor(parts: SeveralWatchParts, asked: SeveralAsked) {
    this.#parts = parts;
    this.#asked = asked;
    this.#access = asked.access;
    this.#changes = parts.clusters.onChange(() => void this.#look());
    void this.#begin();
  }

  accessChanged(access: Access): void {
    this.#access = access;
    void this.#look();
  }

  [Symbol.dispose](): void {
    this.#ended.abort();
    this.#changes[Symbol.dispose]();
    this.#timer?.cancel();
    for (const part of this.#watches.values()) part[Symbol.dispose]();
    this.#watches.clear();
  }

  async #begin(): Promise<void> {
    const { clock } = this.#parts;
    const late = clock.sleep(patience, this.#ended.signal).catch(() => undefined);
    await Promise.race([this.#look(), late]);
    if (this.#ended.signal.aborted) return;
    this.#asked.started();
    this.#started = true;
    for (const part of this.#watches.values()) part.start();
  }

  /** Asks all clusters that there are now; those that are watched already just go on. Resolves when each has said something. */
  async #look(): Promise<void> {
    this.#looksAgain = this.#isLooking;
    if (this.#isLooking) return;
    this.#isLooking = true;
    const outcomes = await this.#ask();
    this.#isLooking = false;
    if (this.#ended.signal.aborted) return;
    if (this.#looksAgain) return this.#look();
    if (outcomes === undefined) return this.#lookLater();
    this.#forgetOthers(outcomes);
    await Promise.all([...outcomes.values()].map(async (each) => this.#hear(await each)));
  }

  /** Undefined while nobody can tell which clusters there are. */
  async #ask(): Promise<ReadonlyMap<string, Promise<Outcome<object>>> | undefined> {
    const { caller, base, names } = this.#asked;
    const { signal } = this.#ended;
    try {
      return await this.#parts.clusters.askEach(
        names,
        { caller, base, access: this.#access, signal },
        (source, place) => this.#part(place.cluster).open(source, place),
      );
    } catch (thrown) {
      if (!signal.aborted) this.#tell(problemOf(thrown) ?? unknown);
      return undefined;
    }
  }

  /** Once, and anew after it was known. */
  #tell(problem: Problem): void {
    if (this.#isUnknown) return;
    this.#isUnknown = true;
    this.#asked.failed(undefined, problem);
  }

  /** Clusters that there are no more, or that the caller may not know of any more. */
  #forgetOthers(outcomes: ReadonlyMap<string, unknown>): void {
    this.#isUnknown = false;
    for (const [name, part] of this.#watches) {
      if (outcomes.has(name)) continue;
      part.fail(noSuchCluster());
      this.#watches.delete(name);
    }
  }

  #hear(outcome: Outcome<object>): void {
    if (this.#ended.signal.aborted || "answer" in outcome) return;
    this.#part(outcome.cluster).fail(outcome.problem);
    this.#lookLater();
  }

  #lookLater(): void {
    this.#timer ??= this.#parts.clock.after(retry, () => {
      this.#timer = undefined;
      void this.#look();
    });
  }

  #part(name: string): Part {
    const known = this.#watches.get(name);
    if (known !== undefined) return known;
    const part = new Part(name, this.#asked, {
      hasStarted: () => this.#started,
      onEnd: () => void this.#look(),
    });
    this.#watches.set(name, part);
    return part;
  }
}

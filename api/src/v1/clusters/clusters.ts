/** Puts one question to several clusters. */

import { localClusterName } from "@drover/crds";
import type { Caller } from "@drover/platform";
import { type Clock, type Logger, messageOf } from "kopf-ts";
import { type Access, reaches } from "../access/access.ts";
import type { Collections } from "../collections/collection.ts";
import { Problem, problem, problemOf } from "../problem.ts";
import type { ClusterNames } from "../query/clusters.ts";
import type { Types } from "../types/resource-type.ts";
import { untilStill } from "../until-still.ts";
import { ClusterChanges, typeOfClusters } from "./cluster-changes.ts";
import type { ClusterSource } from "./cluster-source.ts";
import type { Members } from "./members.ts";

/** Who asks. */
export interface Asker {
  readonly caller: Caller;
  /** In the server's own cluster, which says which clusters the caller may know of. */
  readonly access: Access;
  /** The one cluster that the login is good for; undefined for any. */
  readonly scope: string | undefined;
  /** What URLs begin with. */
  readonly base: string;
  readonly signal: AbortSignal;
}

/** Where a question is asked. */
export interface Place {
  readonly cluster: string;
  /** What URLs of the cluster's objects begin with. */
  readonly base: string;
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
}

/** A question to one of the clusters. */
export type Ask<T> = (source: ClusterSource, place: Place) => Promise<T>;

/** What one cluster answered. */
export interface Answered<T> {
  readonly cluster: string;
  readonly answer: T;
}

/** One that did not. */
export interface Failed {
  readonly cluster: string;
  readonly problem: Problem;
}

/** One or the other. */
export type Outcome<T> = Answered<T> | Failed;

/** What all of them answered, in the order in which they were named. */
export interface Answers<T> {
  readonly answered: readonly Answered<T>[];
  readonly failed: readonly Failed[];
}

/** What clusters are asked with. */
export interface ClustersParts {
  readonly own: ClusterSource;
  readonly members: Members;
  /** Of the server's own cluster, which knows the names of all others. */
  readonly types: Types;
  readonly collections: Collections;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The managed clusters that a caller may know of, or why nobody can tell. */
type Known = ReadonlySet<string> | Problem;

/** Milliseconds that a cluster has for its answer. */
const patience = 5000;

/**
 * The server's own cluster and those that it manages. Guarantees: a cluster that fails, is away or late harms nobody's answer; one that the caller may not get, or the login
 * is not for, is as one that is not there; the others answer under the rights that the caller has in each.
 */
export class Clusters {
  readonly #parts: ClustersParts;
  readonly #changes: ClusterChanges;

  constructor(parts: ClustersParts) {
    this.#parts = parts;
    this.#changes = new ClusterChanges(parts);
  }

  /**
   * Rejects with the signal's reason, and with a Problem of status 422 where that is all that any cluster says: then the question is wrong.
   * While nobody can tell which clusters there are, the server's own answers, and what else was asked for has failed: those that were named, or `all`.
   */
  async ask<T extends object>(names: ClusterNames, asker: Asker, ask: Ask<T>): Promise<Answers<T>> {
    const known = await this.#knownOrWhyNot(names, asker);
    const outcomes = await Promise.all(this.#askAll(names, known, asker, ask).values());
    if (names === "all" && known instanceof Problem) {
      outcomes.push({ cluster: names, problem: known });
    }
    const answered = outcomes.filter((outcome) => "answer" in outcome);
    const failed = outcomes.filter((outcome) => "problem" in outcome);
    try {
      asker.signal.throwIfAborted();
    } catch (thrown) {
      for (const { answer } of answered) discard(answer);
      throw thrown;
    }
    const wrong = failed.find((failure) => failure.problem.status === 422);
    if (answered.length === 0 && wrong !== undefined) throw wrong.problem;
    return { answered, failed };
  }

  /** What each says, as it says it: nobody waits for others. The outcomes do not reject; all does while nobody can tell which clusters there are. */
  async askEach<T extends object>(
    names: ClusterNames,
    asker: Asker,
    ask: Ask<T>,
  ): Promise<ReadonlyMap<string, Promise<Outcome<T>>>> {
    return this.#askAll(names, await this.#knownFor(names, asker), asker, ask);
  }

  #askAll<T extends object>(
    names: ClusterNames,
    known: Known,
    asker: Asker,
    ask: Ask<T>,
  ): ReadonlyMap<string, Promise<Outcome<T>>> {
    const others = known instanceof Problem ? [] : known;
    const asked = names === "all" ? [...new Set([localClusterName, ...others])] : names;
    return new Map(asked.map((name) => [name, this.#askOne(name, known, asker, ask)]));
  }

  /** Calls the listener after clusters came, went or changed how they are, until disposed. */
  onChange(listener: () => void): Disposable {
    return this.#changes.onChange(listener);
  }

  async #knownOrWhyNot(names: ClusterNames, asker: Asker): Promise<Known> {
    try {
      return await this.#inTime(asker.signal, (signal) =>
        this.#knownFor(names, { ...asker, signal }),
      );
    } catch (thrown) {
      asker.signal.throwIfAborted();
      const { message } = problemOf(thrown) ?? this.#strange("all", thrown, asker);
      return problem("ClusterUnavailable", `which clusters there are is not known: ${message}`);
    }
  }

  /** Nobody needs to know others to ask the server's own. */
  async #knownFor(names: ClusterNames, asker: Asker): Promise<ReadonlySet<string>> {
    const isAlone = names !== "all" && names.every((name) => name === localClusterName);
    return isAlone ? new Set() : this.#known(asker);
  }

  /** Those that there are and that the caller may get, in order. */
  async #known({ access, scope, signal }: Asker): Promise<ReadonlySet<string>> {
    const { types, collections } = this.#parts;
    const type = types.find(typeOfClusters);
    if (type === undefined) return new Set();
    using collection = await collections.use(type, signal);
    const reach = access.reach(["get"], type.kind);
    const names = [...collection.cache.keys()]
      .filter((name) => scope === undefined || name === scope)
      .filter((name) => reaches(reach, "", name));
    return new Set(names.sort());
  }

  async #askOne<T extends object>(
    cluster: string,
    known: Known,
    asker: Asker,
    ask: Ask<T>,
  ): Promise<Outcome<T>> {
    try {
      const source = this.#sourceOf(cluster, known);
      const { base } = asker;
      const own = cluster === localClusterName ? base : `${base}/k8s/clusters/${cluster}`;
      return {
        cluster,
        answer: await this.#inTime(asker.signal, (signal) =>
          untilStill(() => ask(source, { cluster, base: own, signal })),
        ),
      };
    } catch (thrown) {
      return { cluster, problem: problemOf(thrown) ?? this.#strange(cluster, thrown, asker) };
    }
  }

  /** Such as caches that went while they were asked. */
  #strange(cluster: string, thrown: unknown, { signal }: Asker): Problem {
    if (!signal.aborted) {
      this.#parts.log.warn("a cluster could not be asked", { cluster, error: messageOf(thrown) });
    }
    return problem("ClusterUnavailable", "it could not be asked");
  }

  #sourceOf(cluster: string, known: Known): ClusterSource {
    if (cluster === localClusterName) return this.#parts.own;
    if (known instanceof Problem) throw known;
    if (!known.has(cluster)) throw noSuchCluster();
    return this.#parts.members.source(cluster);
  }

  /** What comes too late is thrown away. */
  async #inTime<T extends object>(
    signal: AbortSignal,
    ask: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const late = new AbortController();
    const reason = problem("ClusterUnavailable", `no answer within ${patience / 1000} s`);
    const timer = this.#parts.clock.after(patience, () => late.abort(reason));
    const either = AbortSignal.any([signal, late.signal]);
    const ended = Promise.withResolvers<never>();
    const end = (): void => ended.reject(either.reason);
    either.addEventListener("abort", end, { once: true });
    const answer = ask(either);
    try {
      return await Promise.race([answer, ended.promise]);
    } catch (thrown) {
      answer.then(discard, () => undefined);
      throw thrown;
    } finally {
      timer.cancel();
      either.removeEventListener("abort", end);
    }
  }
}

/** For a cluster that is not there, or of which the caller may not know. */
export function noSuchCluster(): Problem {
  return problem("NotFound", "there is no such cluster");
}

function discard(answer: object): void {
  if (Symbol.dispose in answer) (answer as Disposable)[Symbol.dispose]();
}

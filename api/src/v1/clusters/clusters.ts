/** Puts one question to several clusters. */

import { localClusterName } from "@drover/crds";
import type { Caller } from "@drover/platform";
import { type Clock, type Logger, messageOf } from "kopf-ts";
import { type Access, reaches } from "../access/access.ts";
import type { Collections } from "../collections/collection.ts";
import { type Problem, problem, problemOf } from "../problem.ts";
import type { ClusterNames } from "../query/clusters.ts";
import type { Types } from "../types/resource-type.ts";
import { ClusterChanges, typeOfClusters } from "./cluster-changes.ts";
import type { ClusterSource } from "./cluster-source.ts";
import type { Members } from "./members.ts";

/** Who asks. */
export interface Asker {
  readonly caller: Caller;
  /** In the server's own cluster, which says which clusters the caller may know of. */
  readonly access: Access;
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

/** Milliseconds that a cluster has for its answer. */
const patience = 5000;

/**
 * The server's own cluster and those that it manages. Guarantees: a cluster that fails, is away or late harms nobody's answer; one that the caller may not get is as one
 * that is not there; the others answer under the rights that the caller has in each.
 */
export class Clusters {
  readonly #parts: ClustersParts;
  readonly #changes: ClusterChanges;

  constructor(parts: ClustersParts) {
    this.#parts = parts;
    this.#changes = new ClusterChanges(parts);
  }

  /** Rejects with the signal's reason, and with a Problem of status 422 where that is all that any cluster says: then the question is wrong. */
  async ask<T extends object>(names: ClusterNames, asker: Asker, ask: Ask<T>): Promise<Answers<T>> {
    const outcomes = await Promise.all((await this.askEach(names, asker, ask)).values());
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

  /** What each says, as it says it: nobody waits for others. The outcomes do not reject. */
  async askEach<T extends object>(
    names: ClusterNames,
    asker: Asker,
    ask: Ask<T>,
  ): Promise<ReadonlyMap<string, Promise<Outcome<T>>>> {
    const own: readonly string[] = [localClusterName];
    const isAlone = names !== "all" && names.every((name) => name === localClusterName);
    const known = isAlone ? new Set<string>() : await this.#known(asker);
    const asked = names === "all" ? [...new Set([...own, ...known])] : names;
    return new Map(asked.map((name) => [name, this.#askOne(name, known, asker, ask)]));
  }

  /** Calls the listener after clusters came, went or changed how they are, until disposed. */
  onChange(listener: () => void): Disposable {
    return this.#changes.onChange(listener);
  }

  /** Those that there are and that the caller may get, in order. */
  async #known({ access, signal }: Asker): Promise<ReadonlySet<string>> {
    const { types, collections } = this.#parts;
    const type = types.find(typeOfClusters);
    if (type === undefined) return new Set();
    using collection = await collections.use(type, signal);
    const reach = access.reach(["get"], type.kind);
    const names = [...collection.cache.keys()].filter((name) => reaches(reach, "", name));
    return new Set(names.sort());
  }

  async #askOne<T extends object>(
    cluster: string,
    known: ReadonlySet<string>,
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
          ask(source, { cluster, base: own, signal }),
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

  #sourceOf(cluster: string, known: ReadonlySet<string>): ClusterSource {
    if (cluster === localClusterName) return this.#parts.own;
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

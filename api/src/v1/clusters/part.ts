/** What one cluster has to do with a subscription to several. */

import type { Problem } from "../problem.ts";
import type { SeveralAsked } from "../subscribe/index.ts";
import type { ClusterSource, ClusterWatch } from "./cluster-source.ts";
import type { Place } from "./clusters.ts";

/** What a part has to know of the whole. */
export interface Whole {
  /** Whether the subscription has begun. */
  readonly hasStarted: () => boolean;
  /** The watch has ended of itself, and may be opened anew. */
  readonly onEnd: () => void;
  /** What was refused may be granted now. */
  readonly onNews: () => void;
}

/** A watch from the moment when it is asked for to its end. */
interface Run {
  watch: ClusterWatch | undefined;
  isOver: boolean;
  /** It has begun later than the subscription. */
  joins: boolean;
}

/** Whoever opens one learns no more than that it was opened. */
const opened = {};

/** The watch of one cluster, as often as it begins anew. What it tells before the subscription has begun waits until `start`. */
export class Part implements Disposable {
  readonly #cluster: string;
  readonly #asked: SeveralAsked;
  readonly #whole: Whole;
  #opening: Promise<object> | undefined;
  #run: Run | undefined;
  /** Of a cluster that has refused. */
  #news: Disposable | undefined;
  #isOver = false;
  /** From where it goes on when it begins for the first time. */
  #revision: string;
  /** Why it cannot be watched. */
  #problem: Problem | undefined;

  constructor(cluster: string, asked: SeveralAsked, whole: Whole) {
    this.#cluster = cluster;
    this.#asked = asked;
    this.#whole = whole;
    this.#revision = asked.revisions.get(cluster) ?? "";
  }

  /** Opens a watch unless there is one. Rejects as `watch` of the source. */
  open(source: ClusterSource, place: Place): Promise<object> {
    if (this.#run !== undefined) return Promise.resolve(opened);
    this.#opening ??= this.#open(source, place).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** The subscription has begun just now. */
  start(): void {
    if (this.#problem !== undefined) this.#asked.failed(this.#cluster, this.#problem);
    this.#run?.watch?.start();
  }

  /** It cannot be watched now, which is told once. */
  fail(problem: Problem): void {
    if (this.#run !== undefined) this.#close(this.#run);
    const before = this.#problem;
    this.#problem = problem;
    if (before?.code === problem.code && before.message === problem.message) return;
    if (this.#whole.hasStarted()) this.#asked.failed(this.#cluster, problem);
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#news?.[Symbol.dispose]();
    if (this.#run !== undefined) this.#close(this.#run);
  }

  async #open(source: ClusterSource, place: Place): Promise<object> {
    const run: Run = { watch: undefined, isOver: false, joins: false };
    try {
      run.watch = await this.#watch(source, place, run);
      place.signal.throwIfAborted();
    } catch (thrown) {
      this.#close(run);
      this.#listen(source);
      throw thrown;
    }
    if (run.isOver || this.#isOver) run.watch[Symbol.dispose]();
    else this.#begin(run);
    return opened;
  }

  /** Hears when it is worth to ask again; nobody does who is gone. */
  #listen(source: ClusterSource): void {
    this.#news?.[Symbol.dispose]();
    this.#news = source.onChange(this.#asked.caller, this.#whole.onNews);
    if (this.#isOver) this.#news[Symbol.dispose]();
  }

  #watch(source: ClusterSource, { base, signal }: Place, run: Run): Promise<ClusterWatch> {
    const { caller, message, shape, outlet } = this.#asked;
    return source.watch({
      ...{ caller, base, signal, message, shape, outlet, cluster: this.#cluster },
      revision: this.#revision,
      notifier: this.#asked.notifierOf(this.#cluster),
      onStart: (revision) => {
        if (run.joins) this.#asked.joined(this.#cluster, revision);
      },
      onEnd: (error) => {
        this.#close(run);
        if (error !== undefined) this.#asked.failed(this.#cluster, error);
        this.#whole.onEnd();
      },
    });
  }

  #begin(run: Run): void {
    this.#news?.[Symbol.dispose]();
    this.#run = run;
    this.#revision = ""; // what is there when it begins anew has to be listed
    this.#problem = undefined;
    run.joins = this.#whole.hasStarted();
    if (run.joins) run.watch?.start();
  }

  #close(run: Run): void {
    if (this.#run === run) this.#run = undefined;
    run.isOver = true;
    run.watch?.[Symbol.dispose]();
  }
}

import { type ControlPlane, startControlPlane } from "@drover/env";
import { expect } from "chai";
import { systemClock } from "../base/index.ts";
import { Informers } from "../cache/index.ts";
import { type Client, type ClusterConfig, connect, loadConfig } from "../kube/index.ts";
import { eventually, type FaultProxy, seededRandom, startFaultProxy } from "../testing/index.ts";
import type { WatchTiming } from "../watch/index.ts";
import { ControllerRunner } from "./index.ts";
import { differences } from "./testing/agreement.ts";
import { Chaos, restart } from "./testing/chaos.ts";
import { Population, serveThings, Thing } from "./testing/population.ts";
import { Mirror, Witness } from "./testing/witness.ts";

const objects = 2000;
const seeds = process.env.DROVER_SOAK === undefined ? 10 : 100;
/** How long faults last once the first list is through, and how long everything may take to agree afterwards; milliseconds. */
const duration = 2500;
const patience = 40_000;

/** Production's, divided by some hundred. */
const timing: WatchTiming = {
  serverTimeoutMin: 1000,
  serverTimeoutMax: 3000,
  stallWithBookmarks: 1500,
  stallMargin: 500,
  answer: 1000,
  listSilence: 500,
  listTotal: 3000,
  backoffMin: 20,
  backoffMax: 300,
  backoffReset: 1000,
  longestAsked: 1000,
  slowRetry: 400,
  eager: 100,
  shortWatch: 50,
  slice: 10,
};

describe("a controller under faults @soak", function () {
  this.timeout(150_000);

  let plane: ControlPlane;
  let config: ClusterConfig;
  let direct: Client;
  let population: Population;
  const counts = new Map<string, number>();
  const tally = (of: FaultProxy["counts"]): void => {
    for (const [kind, n] of Object.entries(of)) counts.set(kind, (counts.get(kind) ?? 0) + n);
  };

  before(async function () {
    this.timeout(120_000);
    plane = await startControlPlane({ controllerManager: false });
    config = await loadConfig({ kubeconfig: plane.kubeconfigPath });
    direct = connect(config, { kinds: [Thing] });
    await serveThings(plane);
    population = new Population(direct, objects);
    await population.create();
  });
  after(async function () {
    this.timeout(30_000);
    await direct?.[Symbol.asyncDispose]();
    await plane?.stop();
  });

  for (let seed = 1; seed <= seeds; seed++) {
    it(`ends equal to the server and misses nothing (seed ${seed})`, async () => {
      await using proxy = await startFaultProxy(config, {
        seed,
        rates: { status5xx: 0.02, refuse: 0.02, slow: 0.0002, duplicate: 0.001 },
      });
      // Those that seldom meet a request of theirs by chance.
      const certain = seed % 3 === 0 ? "withholdEnd" : seed % 3 === 1 ? "silence" : "refuse";
      proxy.next({ kind: certain }, ({ form }) => form === "watchList");
      if (certain === "refuse") proxy.next({ kind: "stall" }, ({ form }) => form === "watch");
      await using subject = new Subject(proxy, seed);

      const random = seededRandom(seed);
      const over = new AbortController();
      const storm = Promise.all([
        new Chaos(proxy, random, { relists: seed % 3 !== 2 }).rage(
          () => subject.synced,
          over.signal,
        ),
        population.change(random, 6, over.signal),
        seed % 3 === 1 ? restart(plane, random) : undefined,
      ]);
      try {
        await subject.endure(duration);
      } finally {
        over.abort();
        await storm;
        proxy.setRates({});
      }
      tally(proxy.counts);

      await subject.agreesWith(population);
      const { overlaps, missed } = subject.witness;
      const { contradictions } = subject.mirror;
      const nothing = { overlaps: [], missed: [], contradictions: [] };
      expect({ overlaps, missed, contradictions }, subject.report()).to.deep.equal(nothing);
    });
  }

  it("has met every kind of fault", () => {
    expect([...counts.keys()]).to.include.members([
      ...["cut", "stall", "halfLine", "end", "gone", "duplicate", "slow"],
      ...["status", "refuse", "silence", "withholdEnd"],
    ]);
  });
});

/** One controller with its caches, whose every request goes through the proxy. */
class Subject implements AsyncDisposable {
  readonly witness: Witness;
  readonly mirror: Mirror;
  readonly #proxy: FaultProxy;
  readonly #client: Client;
  readonly #informers: Informers;
  readonly #share;
  readonly #runner: ControllerRunner<Thing>;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(proxy: FaultProxy, seed: number) {
    this.#proxy = proxy;
    this.#client = connect(proxy.config, { kinds: [Thing], timeout: 5000 });
    this.#informers = new Informers(this.#client, { timing, audit: false });
    this.#share = this.#informers.acquire(Thing);
    this.mirror = new Mirror(this.#share.cache);
    this.witness = new Witness(seededRandom(-seed));
    this.#runner = new ControllerRunner(this.witness.controller, {
      client: this.#client,
      informers: this.#informers,
    });
  }

  get synced(): boolean {
    return this.#share.cache.synced;
  }

  /** Starts while the faults are on already; resolves some time after the first list has come through, when some deletions have too. */
  async endure(time: number): Promise<void> {
    this.#running = this.#work();
    await this.#until("the first list", () => this.synced);
    await systemClock.sleep(time);
    await this.#until("deletions", () => this.witness.counts.gone > 4);
  }

  async #work(): Promise<void> {
    const { signal } = this.#stop;
    await this.#runner.warm(signal);
    await this.#runner.start(signal);
  }

  /** Rejects with what differs when that does not come true in time. */
  async agreesWith(population: Population): Promise<void> {
    const { cache } = this.#share;
    const { mirror, witness } = this;
    let left: readonly string[] = [];
    await this.#until(
      "agreement with the server",
      async () => {
        left = differences({ truth: await population.truth(), cache, mirror, witness });
        if (left.length > 0) await systemClock.sleep(100);
        return left.length === 0;
      },
      () => left,
    );
  }

  async #until(
    what: string,
    look: () => boolean | Promise<boolean>,
    left: () => readonly string[] = () => [],
  ): Promise<void> {
    await eventually(look, { within: patience, what }).catch((cause: unknown) => {
      throw new Error(`no ${what}: ${this.report(left())}`, { cause });
    });
  }

  /** Where a run stands, for the message of a failing test. */
  report(left: readonly string[] = []): string {
    const { cache } = this.#share;
    const facts = {
      seed: this.#proxy.seed,
      faults: this.#proxy.counts,
      runs: this.witness.counts,
      watch: cache.watchState,
      ...{ objects: cache.size, resourceVersion: cache.resourceVersion, differences: left.length },
    };
    return [JSON.stringify(facts), ...left.slice(0, 10)].join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.mirror[Symbol.dispose]();
    await Promise.allSettled([this.#running]);
    await this.#informers.dispose();
    await this.#client[Symbol.asyncDispose]();
  }
}

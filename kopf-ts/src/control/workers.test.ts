import { expect } from "chai";
import { systemClock, TemporaryError } from "../base/index.ts";
import { eventually, type Random, seededRandom } from "../testing/index.ts";
import { type Controller, ControllerRunner, done, requeueAfter, requeueAt } from "./index.ts";
import { Fed, noClient, Widget } from "./testing/fed.ts";
import { recordedLog } from "./testing/widgets.ts";

/** A controller that fails now and then, and remembers what it last succeeded with. */
class Witness {
  readonly last = new Map<string, string>();
  readonly #random: Random;
  readonly #inWork = new Set<string>();
  readonly controller: Controller = {
    name: "fed",
    watches: Widget,
    backoff: { min: 1, max: 4 },
    reconcile: async ({ metadata }, { key }) => {
      await this.#see(key, metadata.resourceVersion ?? "");
      return this.#random.chance(0.1) ? requeueAfter(this.#random.below(3)) : done;
    },
    gone: async (key) => {
      await this.#see(key, "gone");
      return done;
    },
  };

  constructor(random: Random) {
    this.#random = random;
  }

  async #see(key: string, state: string): Promise<void> {
    expect(this.#inWork.has(key), `${key} twice at once`).to.equal(false);
    this.#inWork.add(key);
    if (this.#random.chance(0.5)) await systemClock.sleep(this.#random.below(3));
    this.#inWork.delete(key);
    if (this.#random.chance(0.2)) throw new Error("now and then");
    this.last.set(key, state);
  }
}

const names = Array.from({ length: 40 }, (_, at) => `w-${at}`);

/** Random changes to half of the names and to the other half; what must have been seen in the end. */
async function stir(fed: Fed, random: Random): Promise<Map<string, string>> {
  const expected = new Map(
    names.slice(0, 20).map((name) => [name, fed.store.resourceVersionOf(name) ?? ""]),
  );
  for (let step = 0; step < 1500; step += 1) {
    const name = names[random.below(names.length)] ?? "";
    if (random.chance(0.8)) expected.set(name, fed.change(name));
    else if (fed.delete(name)) expected.set(name, "gone");
    if (random.chance(0.02)) await systemClock.sleep(1);
  }
  return expected;
}

describe("workers", () => {
  for (let seed = 1; seed <= 10; seed += 1) {
    it(`miss no last state and no deletion, and run no key twice at once (seed ${seed})`, async () => {
      const random = seededRandom(seed);
      const fed = new Fed();
      const { controller, last } = new Witness(random);
      fed.list(names.slice(0, 20));
      const runner = new ControllerRunner(controller, {
        client: noClient,
        informers: fed.informers,
      });
      const abort = new AbortController();
      const running = runner.start(abort.signal);

      const expected = await stir(fed, random);

      await eventually(() => runner.waiting + runner.working + runner.delayed === 0, {
        what: "rest",
      });
      expect(Object.fromEntries(last)).to.deep.equal(Object.fromEntries(expected));
      abort.abort();
      await running;
    });
  }

  it("let the event loop turn every 10 ms while keys need nothing", async () => {
    const fed = new Fed();
    fed.list(Array.from({ length: 500 }, (_, at) => `w-${at}`));
    // A clock by which every run takes at least 1 ms, while no run ever waits for anything.
    let now = 0;
    const clock = { ...systemClock, monotonic: () => ++now };
    const finished = Promise.withResolvers<void>();
    let runs = 0;
    let turns = 0;
    const turn = (): void => {
      turns += 1;
      if (runs < 500) setImmediate(turn);
    };
    const controller: Controller = {
      name: "idle",
      concurrency: 1,
      watches: Widget,
      reconcile: async () => {
        runs += 1;
        if (runs === 500) finished.resolve();
        return done;
      },
    };
    const deps = { client: noClient, informers: fed.informers, clock };
    const runner = new ControllerRunner(controller, deps);
    const abort = new AbortController();
    await runner.warm(abort.signal);
    const running = runner.start(abort.signal);

    setImmediate(turn);
    await finished.promise;

    expect(turns).to.be.greaterThan(500 / 10);
    abort.abort();
    await running;
  });

  it("begin few keys in one turn, however many come at once and however many workers wait for them", async () => {
    const fed = new Fed();
    fed.list(Array.from({ length: 200 }, (_, at) => `w-${at}`));
    let turn = 0;
    let isOver = false;
    const count = (): void => {
      turn += 1;
      if (!isOver) setImmediate(count);
    };
    const begun: number[] = [];
    const together = systemClock.now() + 300;
    const controller: Controller = {
      name: "crowd",
      concurrency: 200,
      watches: Widget,
      reconcile: async () => {
        begun.push(turn);
        const isFirst = begun.length <= 200;
        await systemClock.sleep(20);
        return isFirst ? requeueAt(together) : done;
      },
    };
    const runner = new ControllerRunner(controller, { client: noClient, informers: fed.informers });
    const abort = new AbortController();
    await runner.warm(abort.signal);
    setImmediate(count);
    const running = runner.start(abort.signal);

    await eventually(() => begun.length === 400, { within: 20_000 });

    isOver = true;
    abort.abort();
    await running;
    const perTurn = [...Map.groupBy(begun, (each) => each).values()];
    expect(Math.max(...perTurn.map(({ length }) => length))).to.be.at.most(16);
  }).timeout(30_000);

  it("warn of a trouble that many keys share for one of them, and try all of them again as ever", async () => {
    const fed = new Fed();
    const names = Array.from({ length: 20 }, (_, at) => `w-${at}`);
    fed.list(names);
    const { log, lines } = recordedLog();
    const runs = new Map<string, number>();
    const controller: Controller = {
      name: "cut-off",
      watches: Widget,
      reconcile: async (_, { key }) => {
        runs.set(key, (runs.get(key) ?? 0) + 1);
        if (runs.get(key) === 4) return done;
        throw new TemporaryError("cluster c was silent", { shared: true });
      },
    };
    const deps = { client: noClient, informers: fed.informers, logger: log };
    const runner = new ControllerRunner(controller, deps);
    const abort = new AbortController();
    await runner.warm(abort.signal);
    const running = runner.start(abort.signal);

    await eventually(() => names.every((name) => runs.get(name) === 4), { within: 20_000 });

    abort.abort();
    await running;
    const levels = lines.map(({ level }) => level);
    expect(levels.filter((level) => level === "warn")).to.have.length(1);
    expect(levels.filter((level) => level === "debug")).to.have.length(59);
  }).timeout(30_000);

  it("drop what has come, but not begun, when they drain", async () => {
    const fed = new Fed();
    fed.list([]);
    let begun = 0;
    const drained = Promise.withResolvers<void>();
    const controller: Controller = {
      name: "leaving",
      concurrency: 100,
      watches: Widget,
      reconcile: async () => {
        begun += 1;
        if (begun === 1) runner.drain().then(drained.resolve, drained.reject);
        await systemClock.sleep(5);
        return done;
      },
    };
    const runner = new ControllerRunner(controller, { client: noClient, informers: fed.informers });
    const abort = new AbortController();
    await runner.warm(abort.signal);
    const running = runner.start(abort.signal);
    await systemClock.sleep(10); // all wait

    for (let at = 0; at < 100; at += 1) fed.change(`w-${at}`);

    await drained.promise;
    await running;
    expect(begun).to.be.within(1, 16);
    expect(runner.working).to.equal(0);
  });

  it("start once, and not after they have drained", async () => {
    const fed = new Fed();
    fed.list([]);
    const controller: Controller = { name: "once", watches: Widget, reconcile: async () => done };
    const deps = { client: noClient, informers: fed.informers };
    const abort = new AbortController();
    const started = new ControllerRunner(controller, deps);
    const running = started.start(abort.signal);
    const again = await started.start(abort.signal).catch((error: unknown) => error);
    const drained = new ControllerRunner(controller, deps);
    await drained.drain();

    expect(again).to.have.property("message", "once was started before");
    await drained.start(abort.signal);
    expect(await drained.warm(abort.signal).catch((error: unknown) => error)).to.have.property(
      "message",
      "once has ended",
    );
    abort.abort();
    await running;
  });

  it("end quietly when they drain while the caches are still empty", async () => {
    const fed = new Fed();
    const controller: Controller = { name: "early", watches: Widget, reconcile: async () => done };
    const runner = new ControllerRunner(controller, { client: noClient, informers: fed.informers });
    const abort = new AbortController();
    const running = runner.start(abort.signal);

    abort.abort(new Error("too early"));

    await running;
  });
});

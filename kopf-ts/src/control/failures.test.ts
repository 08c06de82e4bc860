import { expect } from "chai";
import { PermanentError, TemporaryError } from "../base/index.ts";
import { ApiError } from "../kube/index.ts";
import { Metrics } from "../observe/index.ts";
import { eventually, type FakeClock, fakeClock } from "../testing/index.ts";
import {
  type Context,
  type Controller,
  type ControllerRunner,
  done,
  type Result,
} from "./index.ts";
import { type LogLine, recordedLog, Widget, Workshop } from "./testing/widgets.ts";

/** A controller for one object, whose clock stands still. */
interface Bench extends AsyncDisposable {
  readonly shop: Workshop;
  readonly widget: Widget;
  readonly runner: ControllerRunner<Widget>;
  readonly clock: FakeClock;
  readonly lines: readonly LogLine[];
  readonly metrics: Metrics;
  /** Runs so far. */
  readonly runs: { count: number };
  /** Resolves when `count` runs have begun and none is in work. */
  ran(count: number): Promise<void>;
  stop(): Promise<void>;
}

async function bench(
  act: (run: number, context: Context, widget: Widget) => Promise<Result>,
  more: Partial<Controller<Widget>> = {},
): Promise<Bench> {
  const shop = await Workshop.open();
  const widget = await shop.client.create(shop.widget("w"));
  const clock = fakeClock();
  const { log, lines } = recordedLog();
  const metrics = new Metrics({ process: false });
  const runs = { count: 0 };
  const controller: Controller<Widget> = {
    name: "failing",
    watches: Widget,
    reconcile: (own, context) => {
      runs.count += 1;
      return act(runs.count, context, own);
    },
    ...more,
  };
  const runner = shop.runner(controller, { clock, logger: log, metrics });
  const abort = new AbortController();
  await runner.warm(abort.signal);
  const running = runner.start(abort.signal);
  const stop = async (): Promise<void> => {
    abort.abort(new DOMException("stopped", "AbortError"));
    await running;
  };
  const ran = (count: number) =>
    eventually(() => runs.count === count && runner.working === 0 && runner.waiting === 0, {
      what: `run ${count}`,
    }).then(() => undefined);
  const end = async (): Promise<void> => {
    await stop();
    await shop[Symbol.asyncDispose]();
  };
  return {
    shop,
    widget,
    runner,
    clock,
    lines,
    metrics,
    runs,
    ran,
    stop,
    [Symbol.asyncDispose]: end,
  };
}

function conflict(): ApiError {
  const words = { message: "changed meanwhile", reason: "Conflict", method: "PUT", path: "/x" };
  return new ApiError({ ...words, code: 409 });
}

describe("a reconcile that fails", function () {
  this.timeout(30_000);
  before(async function () {
    this.timeout(120_000);
    await using _ = await Workshop.open();
  });

  for (const { name, thrown, told } of [
    { name: "an error", thrown: () => Promise.reject(new Error("no")), told: "Error: no" },
    { name: "a string", thrown: () => Promise.reject("no"), told: "no" },
    { name: "nothing", thrown: () => Promise.reject(undefined), told: "undefined" },
    {
      name: "an error before its promise",
      thrown: (): Promise<Result> => {
        throw new Error("no");
      },
      told: "Error: no",
    },
    {
      name: "an answer that is none",
      thrown: () => Promise.resolve({ requeueAfter: Number.NaN }),
      told: "TypeError: requeueAfter needs milliseconds, not NaN",
    },
  ]) {
    it(`with ${name} is told once and tried again after 5, 10, 20 ms`, async () => {
      await using test = await bench((run) => (run < 4 ? thrown() : Promise.resolve(done)));

      await test.ran(1);
      await test.clock.advance(4);
      expect(test.runs.count).to.equal(1);
      for (const [at, delay] of [1, 10, 20].entries()) {
        await test.clock.advance(delay);
        await test.ran(at + 2);
      }

      await test.clock.advance(100_000);
      expect(test.runs.count).to.equal(4);
      expect(test.lines.map(({ level, message }) => `${level}: ${message}`)).to.deep.equal(
        Array.from({ length: 3 }, () => "error: reconcile failed"),
      );
      expect(String(test.lines[0]?.fields.error)).to.equal(told);
    });
  }

  it("with a TemporaryError waits for its delay", async () => {
    await using test = await bench(async (run) => {
      if (run === 1) throw new TemporaryError("unreachable", { delay: 30_000 });
      return done;
    });
    await test.ran(1);

    await test.clock.advance(29_999);
    expect(test.runs.count).to.equal(1);
    await test.clock.advance(1);

    await test.ran(2);
    expect(test.lines.map(({ level, fields }) => [level, fields.retryIn])).to.deep.equal([
      ["warn", 30_000],
    ]);
  });

  it("with several errors runs again when the first of them would", async () => {
    const backoff = { min: 60_000, max: 60_000 };
    await using test = await bench(
      async (run) => {
        if (run > 1) return done;
        const soon = new TemporaryError("unreachable", { delay: 5_000 });
        throw new AggregateError([new PermanentError("invalid"), new Error("no"), soon]);
      },
      { backoff },
    );
    await test.ran(1);

    await test.clock.advance(4_999);
    expect(test.runs.count).to.equal(1);
    await test.clock.advance(1);

    await test.ran(2);
    await test.clock.advance(100_000);
    expect(test.runs.count).to.equal(2);
  });

  it("with a PermanentError waits for the object to change", async () => {
    await using test = await bench(async (run) => {
      if (run === 1) throw new PermanentError("no such driver");
      return done;
    });
    await test.ran(1);
    await test.clock.advance(1_000_000);
    expect(test.runs.count).to.equal(1);

    await test.shop.client.patch(test.widget, { merge: { spec: { size: 1 } } });

    await test.ran(2);
    const text = await test.metrics.text();
    expect(text).to.include(
      'controller_runtime_terminal_reconcile_errors_total{controller="failing"} 1',
    );
    expect(text).to.include('controller_runtime_reconcile_errors_total{controller="failing"} 1');
  });

  it("with a conflict is tried again at once, quietly, and after eight of them by back-off, with a warning", async () => {
    await using test = await bench(async (run) => {
      if (run <= 9) throw conflict();
      return done;
    });
    await test.ran(2);

    for (const [at, delay] of [5, 10, 20, 40, 80, 160, 320].entries()) {
      await test.clock.advance(delay);
      await test.ran(at + 3);
    }
    expect(test.lines.map(({ level }) => level)).to.deep.equal([
      ...Array.from({ length: 8 }, () => "debug"),
      "warn",
    ]);
    await test.clock.advance(5);
    await test.ran(10);

    const text = await test.metrics.text();
    expect(text).to.include('controller_runtime_reconcile_errors_total{controller="failing"} 1');
  });

  it("with a real conflict of a stale object succeeds on the second attempt", async () => {
    await using test = await bench(async (run, { client }, own) => {
      const stale =
        run === 1 ? { ...own, metadata: { ...own.metadata, resourceVersion: "1" } } : own;
      if (own.spec?.size !== 5) await client.update({ ...stale, spec: { size: 5 } });
      return done;
    });

    await test.shop.widgetWhich("w", ({ spec }) => spec?.size === 5, "the update");

    expect(test.lines.map(({ level }) => level)).to.deep.equal(["debug"]);
  });

  it("because its object went is done", async () => {
    await using test = await bench(async (_, { client }, own) => {
      await client.delete(own);
      await client.patch(own, { merge: { status: { size: 1 } } }, { subresource: "status" });
      return done;
    });

    await test.ran(1);

    expect(test.lines.map(({ level, message }) => `${level}: ${message}`)).to.deep.equal([
      "debug: the object went while it was reconciled",
    ]);
    expect(test.runner.delayed).to.equal(0);
  });

  it("for want of a right says so", async () => {
    await using test = await bench(async (_, { client, key }) => {
      const [namespace = ""] = key.split("/");
      const nobody = client.as({ user: "nobody" });
      await nobody.get(Widget, "w", { namespace });
      return done;
    });

    await test.ran(1);

    expect(test.lines[0]?.fields.hint).to.match(/a right is missing/);
    expect(test.runner.delayed).to.equal(1);
  });

  describe("to end in time", () => {
    it("is aborted with its requests, and tried again", async () => {
      const reasons: unknown[] = [];
      await using test = await bench(
        (run, { signal }) =>
          new Promise((resolve, reject) => {
            if (run > 1) return resolve(done);
            signal.addEventListener("abort", () => {
              reasons.push(signal.reason);
              reject(signal.reason);
            });
          }),
        { timeout: 1000 },
      );
      await eventually(() => test.runs.count === 1, { what: "the first run" });

      await test.clock.advance(999);
      expect(reasons).to.deep.equal([]);
      await test.clock.advance(1);
      await test.clock.advance(5);

      await test.ran(2);
      expect(String(test.lines[0]?.fields.error)).to.equal(
        "Error: reconcile took longer than 1000 ms",
      );
    });

    it("may not write any more", async () => {
      const over = Promise.withResolvers<void>();
      let refused: unknown;
      await using test = await bench(
        async (run, { client }, own) => {
          if (run > 1) return done;
          await over.promise;
          refused = await client
            .patch(own, { merge: { spec: { size: 9 } } })
            .catch((error: unknown) => error);
          return done;
        },
        { timeout: 1000 },
      );
      await eventually(() => test.runs.count === 1, { what: "the first run" });

      await test.clock.advance(1000);
      over.resolve();

      await test.ran(1);
      expect(refused).to.have.property("message", "reconcile took longer than 1000 ms");
      const { spec } = await test.shop.client.get(Widget, "w", { namespace: test.shop.namespace });
      expect(spec?.size).to.equal(undefined);
    });

    it("and does not care is reported, and its key stays locked until it ends", async () => {
      const end = Promise.withResolvers<void>();
      await using test = await bench(
        async (run) => {
          if (run === 1) await end.promise;
          return done;
        },
        { timeout: 1000 },
      );
      await eventually(() => test.runs.count === 1, { what: "the first run" });

      await test.clock.advance(6000);
      await test.shop.client.patch(test.widget, { merge: { spec: { size: 1 } } });
      await test.shop.widgetWhich("w", ({ spec }) => spec?.size === 1, "the change");
      expect(test.runs.count).to.equal(1);
      expect(test.runner.working).to.equal(1);
      end.resolve();

      await test.ran(2);
      expect(test.lines.map(({ message, fields }) => [message, fields.running])).to.deep.equal([
        ["reconcile ignores its signal; its key stays locked until it ends", 6000],
      ]);
    });
  });

  describe("because its controller stops", () => {
    it("is no error", async () => {
      await using test = await bench(
        (_, { signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener("abort", () => reject(signal.reason));
          }),
      );
      await eventually(() => test.runs.count === 1, { what: "the run" });

      await test.stop();

      expect(test.lines.map(({ level }) => level)).to.deep.equal(["debug"]);
      expect(await test.metrics.text()).to.match(/reconcile_total\{[^}]*result="requeue"\} 1/);
      expect(await test.metrics.text()).to.match(/reconcile_total\{[^}]*result="error"\} 0$/m);
      expect(test.clock.pending).to.equal(0);
    });

    it("ends by itself when the controller drains, and nothing comes after it", async () => {
      const end = Promise.withResolvers<void>();
      await using test = await bench(async (_, { client }, own) => {
        await end.promise;
        await client.patch(own, { merge: { spec: { size: 7 } } });
        throw new Error("tried again?");
      });
      await eventually(() => test.runs.count === 1, { what: "the run" });
      let drained = false;
      const draining = test.runner.drain().then(() => {
        drained = true;
      });
      await test.shop.client.create(test.shop.widget("late"));
      expect(drained).to.equal(false);

      end.resolve();
      await draining;

      const { spec } = await test.shop.client.get(Widget, "w", { namespace: test.shop.namespace });
      expect(spec?.size).to.equal(7);
      expect(test.runs.count).to.equal(1);
      expect(test.clock.pending).to.equal(0);
    });
  });
});

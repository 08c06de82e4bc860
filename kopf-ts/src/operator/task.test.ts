import { expect } from "chai";
import { aborted, never, silentLogger } from "../base/index.ts";
import { connect } from "../kube/index.ts";
import { fakeClock } from "../testing/index.ts";
import { runTask, type TaskContext, TaskRunner } from "./task.ts";

const context = (over: Partial<TaskContext> = {}): TaskContext => ({
  client: connect({ server: "https://127.0.0.1:1" }),
  clock: fakeClock(),
  log: silentLogger,
  signal: new AbortController().signal,
  ...over,
});

describe("runTask", () => {
  it("begins a task that fails again, after 1 s, 2 s and so on", async () => {
    const clock = fakeClock();
    const begun: number[] = [];
    const done = runTask(
      {
        name: "third-time",
        run: async () => {
          begun.push(clock.monotonic());
          if (begun.length < 3) throw new Error("not yet");
        },
      },
      context({ clock }),
    );

    await clock.advance(10_000);
    await done;

    expect(begun).to.deep.equal([0, 1000, 3000]);
  });

  it("ends quietly with its signal", async () => {
    const stop = new AbortController();
    const clock = fakeClock();
    const task = {
      name: "fails",
      run: async () => {
        throw new Error("no");
      },
    };
    const done = runTask(task, context({ clock, signal: stop.signal }));
    await clock.advance(0);

    stop.abort();

    await done;
    expect(clock.pending).to.equal(0);
  });
});

describe("TaskRunner", () => {
  /** Takes its time after its signal. */
  function slow(): { runner: TaskRunner; told: string[]; finish: () => void } {
    const told: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const run = async ({ signal }: TaskContext): Promise<void> => {
      await aborted(signal);
      told.push("asked to stop");
      await promise;
      told.push("ended");
    };
    return { runner: new TaskRunner({ name: "slow", run }, context()), told, finish: resolve };
  }

  it("waits for the end of its task when it drains", async () => {
    const { runner, told, finish } = slow();
    void runner.start(never);

    const drained = runner.drain().then(() => told.push("drained"));
    await fakeClock().advance(0);
    expect(told).to.deep.equal(["asked to stop"]);
    finish();
    await drained;

    expect(told).to.deep.equal(["asked to stop", "ended", "drained"]);
  });

  it("ends with the signal it was started with", async () => {
    const { runner, told, finish } = slow();
    const stop = new AbortController();
    const running = runner.start(stop.signal);

    stop.abort();
    finish();
    await running;

    expect(told).to.deep.equal(["asked to stop", "ended"]);
  });

  it("has nothing to drain that never started", async () => {
    const { runner, told } = slow();

    await runner.drain();

    expect(told).to.deep.equal([]);
  });
});

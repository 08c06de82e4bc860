import { expect } from "chai";
import { silentLogger } from "../base/index.ts";
import { connect } from "../kube/index.ts";
import { fakeClock } from "../testing/index.ts";
import { runTask, type TaskContext } from "./task.ts";

describe("runTask", () => {
  const context = (over: Partial<TaskContext> = {}): TaskContext => ({
    client: connect({ server: "https://127.0.0.1:1" }),
    clock: fakeClock(),
    log: silentLogger,
    signal: new AbortController().signal,
    ...over,
  });

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

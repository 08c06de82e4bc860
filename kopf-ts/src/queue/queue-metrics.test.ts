import { expect } from "chai";
import { Metrics } from "../observe/index.ts";
import { fakeClock } from "../testing/index.ts";
import { Queue } from "./queue.ts";

/** The value of one series in the text form. */
async function value(metrics: Metrics, series: string): Promise<number | undefined> {
  const lines = (await metrics.text()).split("\n");
  const line = lines.find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

describe("metrics of a queue", () => {
  const labels = 'name="tokens",controller="tokens"';

  it("tell what waits, by priority", async () => {
    const metrics = new Metrics({ process: false });
    const queue = new Queue({ name: "tokens", clock: fakeClock(), metrics });
    for (const key of ["a", "b", "c"]) queue.add(key, { priority: key === "c" ? -100 : 0 });

    expect(await value(metrics, `workqueue_depth{${labels},priority="0"}`)).to.equal(2);
    expect(await value(metrics, `workqueue_depth{${labels},priority="-100"}`)).to.equal(1);
  });

  it("count adds without repetitions, and retries", async () => {
    const metrics = new Metrics({ process: false });
    const queue = new Queue({ name: "tokens", clock: fakeClock(), metrics });
    for (const key of ["a", "a", "b"]) queue.add(key);
    queue.take();
    for (const key of ["a", "a"]) queue.add(key);
    queue.retry("a");

    expect(await value(metrics, `workqueue_adds_total{${labels}}`)).to.equal(3);
    expect(await value(metrics, `workqueue_retries_total{${labels}}`)).to.equal(1);
  });

  it("measure waiting from when a key was due, and work until done", async () => {
    const metrics = new Metrics({ process: false });
    const clock = fakeClock();
    const queue = new Queue({ name: "tokens", clock, metrics });
    queue.add("a", { after: 5000 });
    await clock.advance(5000);
    await clock.advance(2000);
    queue.take();
    await clock.advance(3000);

    expect(await value(metrics, `workqueue_unfinished_work_seconds{${labels}}`)).to.equal(3);
    expect(await value(metrics, `workqueue_longest_running_processor_seconds{${labels}}`)).to.equal(
      3,
    );
    queue.done("a");
    expect(await value(metrics, `workqueue_queue_duration_seconds_sum{${labels}}`)).to.equal(2);
    expect(await value(metrics, `workqueue_work_duration_seconds_sum{${labels}}`)).to.equal(3);
    expect(await value(metrics, `workqueue_unfinished_work_seconds{${labels}}`)).to.equal(0);
  });

  it("lose their gauges when the queue has drained", async () => {
    const metrics = new Metrics({ process: false });
    const queue = new Queue({ name: "tokens", clock: fakeClock(), metrics });
    queue.add("a");

    await queue.drain();

    expect(await value(metrics, `workqueue_depth{${labels},priority="0"}`)).to.equal(undefined);
  });
});

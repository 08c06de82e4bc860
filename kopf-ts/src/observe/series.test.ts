import { expect } from "chai";
import type { Family } from "./families.ts";
import { Registry } from "./registry.ts";

const seconds: Family = {
  name: "x_seconds",
  help: "How long x takes",
  labels: ["kind"],
  buckets: [0.1, 1],
};
const total: Family = { name: "x_total", help: "How often x was", labels: ["kind", "code"] };
const now: Family = { name: "x_now", help: "How much x is", labels: [] };

/** Samples of the text form, without comments. */
async function samples(registry: Registry): Promise<readonly string[]> {
  return (await registry.text()).split("\n").filter((line) => line !== "" && !/^#/.test(line));
}

describe("series", () => {
  let registry: Registry;
  beforeEach(() => {
    registry = new Registry();
  });

  it("are written with the type and help of their metric", async () => {
    registry.counter(total).with({ kind: "a", code: "200" }).inc(2);

    expect((await registry.text()).trim().split("\n")).to.deep.equal([
      "# HELP x_total How often x was",
      "# TYPE x_total counter",
      'x_total{kind="a",code="200"} 2',
    ]);
  });

  it("of a histogram count what lies at or below each bound, and everything in +Inf", async () => {
    const series = registry.histogram(seconds).with({ kind: "a" });

    for (const value of [0.05, 0.1, 0.5, 2, 3]) series.observe(value);

    expect(await samples(registry)).to.deep.equal([
      'x_seconds_bucket{le="0.1",kind="a"} 2',
      'x_seconds_bucket{le="1",kind="a"} 3',
      'x_seconds_bucket{le="+Inf",kind="a"} 5',
      'x_seconds_sum{kind="a"} 5.65',
      'x_seconds_count{kind="a"} 5',
    ]);
  });

  it("are there with 0 once somebody asked for them", async () => {
    registry.histogram({ ...seconds, buckets: [1] }).with({ kind: "a" });
    registry.gauge(now).with();

    expect(await samples(registry)).to.deep.equal([
      'x_seconds_bucket{le="1",kind="a"} 0',
      'x_seconds_bucket{le="+Inf",kind="a"} 0',
      'x_seconds_sum{kind="a"} 0',
      'x_seconds_count{kind="a"} 0',
      "x_now 0",
    ]);
  });

  it("are the same whoever asks, in whatever order the labels come", async () => {
    const metric = registry.counter(total);

    metric.with({ kind: "a", code: "1" }).inc();
    metric.with({ code: "1", kind: "a" }).inc();
    metric.with({ kind: "a1", code: "" }).inc();

    expect(await samples(registry)).to.deep.equal([
      'x_total{kind="a",code="1"} 2',
      'x_total{kind="a1",code=""} 1',
    ]);
  });

  it("go up and down, and to a value", async () => {
    const series = registry.gauge(now).with();

    series.set(5);
    series.inc();
    series.dec(3);

    expect(await samples(registry)).to.deep.equal(["x_now 3"]);
  });

  it("come back from 0, once, when they were forgotten but are still held", async () => {
    const metric = registry.counter(total);
    const [one, two] = [0, 1].map(() => metric.with({ kind: "a", code: "1" }));
    one?.inc(5);

    metric.removeAll({ kind: "a" });
    expect(await samples(registry)).to.deep.equal([]);

    one?.inc();
    two?.inc();
    metric.with({ kind: "a", code: "1" }).inc();
    expect(await samples(registry)).to.deep.equal(['x_total{kind="a",code="1"} 3']);
  });

  it("have prom-client's bounds unless told", async () => {
    registry.histogram({ name: "y", help: "y", labels: [] }).with().observe(0.3);

    expect(await samples(registry)).to.include('y_bucket{le="0.25"} 0');
    expect(await samples(registry)).to.include('y_bucket{le="0.5"} 1');
  });

  for (const { name, act } of [
    { name: "a counter that goes down", act: (of: Registry) => counter(of).inc(-1) },
    { name: "a counter that goes up by NaN", act: (of: Registry) => counter(of).inc(Number.NaN) },
    {
      name: "an endless value",
      act: (of: Registry) =>
        of
          .gauge(now)
          .with()
          .set(1 / 0),
    },
    {
      name: "a duration that is no number",
      act: (of: Registry) => of.histogram(seconds).with({ kind: "a" }).observe(Number.NaN),
    },
    {
      name: "a label that the metric does not have",
      act: (of: Registry) => of.counter(total).with({ kind: "a", colour: "red" }),
    },
    {
      name: "a name that Prometheus cannot read",
      act: (of: Registry) => of.counter({ ...total, name: "x-total" }),
    },
    {
      name: "a label that Prometheus cannot read",
      act: (of: Registry) => of.counter({ ...total, labels: ["a-b"] }),
    },
    {
      name: "the label of buckets",
      act: (of: Registry) => of.histogram({ ...seconds, labels: ["le"] }),
    },
  ]) {
    it(`refuses ${name}, and leaves the numbers alone`, async () => {
      counter(registry).inc();

      expect(() => act(registry)).to.throw(TypeError);

      const changed = (await samples(registry)).filter((line) => !/ 0$/.test(line));
      expect(changed).to.deep.equal(['x_total{kind="a",code="1"} 1']);
    });
  }

  function counter(of: Registry): { inc(by?: number): void } {
    return of.counter(total).with({ kind: "a", code: "1" });
  }
});

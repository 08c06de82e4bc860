import { readFileSync } from "node:fs";
import { expect } from "chai";
import type { QueueGauges } from "./instruments.ts";
import { Metrics } from "./metrics.ts";

/** Samples of the text form, without comments, by series. */
async function samples(metrics: Metrics, of: RegExp = /./): Promise<Record<string, number>> {
  const lines = (await metrics.text())
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    lines
      .map(
        (line) =>
          [
            line.slice(0, line.lastIndexOf(" ")),
            Number(line.slice(line.lastIndexOf(" "))),
          ] as const,
      )
      .filter(([series]) => of.test(series)),
  );
}

function gauges(
  depths: readonly (readonly [number, number])[],
  running: readonly number[],
): QueueGauges {
  return {
    depths: () => depths,
    unfinishedWork: () => running.reduce((a, b) => a + b, 0),
    longestRunning: () => Math.max(0, ...running),
  };
}

describe("Metrics", () => {
  it("has the metrics that its documentation lists, and no others", () => {
    const names = new Metrics({ process: false }).names();
    const readme = readFileSync(new URL("../../src/observe/README.md", import.meta.url), "utf8");
    const listed = [...readme.matchAll(/^\| `([a-z_]+)` +\|/gm)].map((match) => match[1]);

    expect([...names].sort()).to.deep.equal([...listed].sort());
  });

  it("shares nothing between two operators", async () => {
    const [one, two] = [new Metrics({ process: false }), new Metrics({ process: false })];

    one.counter({ name: "x_total", help: "x", labels: [] }).with().inc();

    expect(await samples(one, /x_total/)).to.deep.equal({ x_total: 1 });
    expect(await samples(two, /x_total/)).to.deep.equal({});
  });

  it("tells about the process unless told not to", async () => {
    expect(await samples(new Metrics(), /resident_memory|eventloop_lag_p99/)).to.have.all.keys(
      "process_resident_memory_bytes",
      "nodejs_eventloop_lag_p99_seconds",
    );
  });

  it("tells how late the event loop was since it was last asked, without its own interval", async () => {
    const metrics = new Metrics();
    const lag = /eventloop_lag_(min|max|p99)_seconds/;
    await new Promise((resolve) => setTimeout(resolve, 150)); // until it has begun to look
    const begun = performance.now();
    while (performance.now() < begun + 400);
    await new Promise((resolve) => setTimeout(resolve, 10)); // until it has looked

    const busy = await samples(metrics, lag);
    const quiet = await samples(metrics, lag);

    expect(Object.keys(busy)).to.have.length(3);
    expect(busy.nodejs_eventloop_lag_max_seconds).to.be.greaterThan(0.2);
    expect(quiet.nodejs_eventloop_lag_max_seconds).to.be.lessThan(
      busy.nodejs_eventloop_lag_max_seconds ?? 0,
    );
  });

  it("refuses a second metric of the same name that differs", () => {
    const metrics = new Metrics({ process: false });
    metrics.counter({ name: "x_total", help: "x", labels: ["a"] });

    expect(() => metrics.counter({ name: "x_total", help: "x", labels: ["b"] })).to.throw(
      /labels a/,
    );
    expect(() => metrics.gauge({ name: "x_total", help: "x", labels: ["a"] })).to.throw(/already/);
  });
});

describe("Metrics of queues", () => {
  it("counts adds and retries and measures in seconds", async () => {
    const metrics = new Metrics({ process: false });
    const queue = metrics.queue("tokens", gauges([], []));

    queue.added();
    queue.added();
    queue.retried();
    queue.started(1500);
    queue.finished(250);

    const found = await samples(metrics, /^workqueue.*(total|sum|count)\{/);
    expect(found).to.deep.equal({
      'workqueue_adds_total{name="tokens",controller="tokens"}': 2,
      'workqueue_retries_total{name="tokens",controller="tokens"}': 1,
      'workqueue_queue_duration_seconds_sum{name="tokens",controller="tokens"}': 1.5,
      'workqueue_queue_duration_seconds_count{name="tokens",controller="tokens"}': 1,
      'workqueue_work_duration_seconds_sum{name="tokens",controller="tokens"}': 0.25,
      'workqueue_work_duration_seconds_count{name="tokens",controller="tokens"}': 1,
    });
  });

  it("has its series before anything happens", async () => {
    const metrics = new Metrics({ process: false });
    metrics.queue("q", gauges([], []));
    metrics.controller("c");

    expect(Object.values(await samples(metrics)).filter((value) => value !== 0)).to.deep.equal([]);
    const names = Object.keys(await samples(metrics)).map((series) => series.split("{")[0]);
    expect(names).to.include.members([
      "workqueue_adds_total",
      "workqueue_retries_total",
      "workqueue_depth",
      "controller_runtime_reconcile_total",
      "controller_runtime_reconcile_errors_total",
      "controller_runtime_active_workers",
    ]);
  });

  it("adds up queues of one name and forgets them when all are closed", async () => {
    const metrics = new Metrics({ process: false });
    const one = metrics.queue(
      "q",
      gauges(
        [
          [0, 2],
          [-100, 5],
        ],
        [1000],
      ),
    );
    const two = metrics.queue("q", gauges([[0, 1]], [500, 3000]));
    const state = /depth|unfinished|longest/;
    const labels = 'name="q",controller="q"';

    expect(await samples(metrics, state)).to.deep.equal({
      [`workqueue_depth{${labels},priority="0"}`]: 3,
      [`workqueue_depth{${labels},priority="-100"}`]: 5,
      [`workqueue_unfinished_work_seconds{${labels}}`]: 4.5,
      [`workqueue_longest_running_processor_seconds{${labels}}`]: 3,
    });

    one.closed();
    expect(await samples(metrics, /depth/)).to.deep.equal({
      [`workqueue_depth{${labels},priority="0"}`]: 1,
    });

    two.closed();
    expect(await samples(metrics, state)).to.deep.equal({});
  });
});

describe("Metrics of controllers", () => {
  for (const { outcome, result, errors, terminal } of [
    { outcome: "success", result: "success", errors: 0, terminal: 0 },
    { outcome: "requeue_after", result: "requeue_after", errors: 0, terminal: 0 },
    { outcome: "requeue", result: "requeue", errors: 0, terminal: 0 },
    { outcome: "error", result: "error", errors: 1, terminal: 0 },
    { outcome: "terminal", result: "error", errors: 1, terminal: 1 },
  ] as const) {
    it(`counts ${outcome} as controller-runtime does`, async () => {
      const metrics = new Metrics({ process: false });
      const controller = metrics.controller("c");

      controller.started();
      controller.finished(outcome, 20);

      const found = await samples(metrics, /^controller_runtime.*(total|active|sum)/);
      expect(
        found[`controller_runtime_reconcile_total{controller="c",result="${result}"}`],
      ).to.equal(1);
      expect(found['controller_runtime_reconcile_errors_total{controller="c"}'] ?? 0).to.equal(
        errors,
      );
      expect(
        found['controller_runtime_terminal_reconcile_errors_total{controller="c"}'] ?? 0,
      ).to.equal(terminal);
      expect(found['controller_runtime_reconcile_time_seconds_sum{controller="c"}']).to.equal(0.02);
      expect(found['controller_runtime_active_workers{controller="c"}']).to.equal(0);
    });
  }

  it("adds up the workers of one controller in several clusters", async () => {
    const metrics = new Metrics({ process: false });
    const one = metrics.controller("c").workers(10);
    metrics.controller("c").workers(10);
    const series = 'controller_runtime_max_concurrent_reconciles{controller="c"}';

    expect(await samples(metrics, /max_concurrent/)).to.deep.equal({ [series]: 20 });

    one[Symbol.dispose]();
    expect(await samples(metrics, /max_concurrent/)).to.deep.equal({ [series]: 10 });
  });
});

describe("Metrics of requests", () => {
  for (const { verb, code, labels } of [
    { verb: "get", code: 200, labels: 'code="200",method="GET"' },
    { verb: "list", code: 200, labels: 'code="200",method="GET"' },
    { verb: "watch", code: 410, labels: 'code="410",method="GET"' },
    { verb: "create", code: 201, labels: 'code="201",method="POST"' },
    { verb: "update", code: 409, labels: 'code="409",method="PUT"' },
    { verb: "apply", code: 200, labels: 'code="200",method="PATCH"' },
    { verb: "patch", code: 200, labels: 'code="200",method="PATCH"' },
    { verb: "deletecollection", code: 200, labels: 'code="200",method="DELETE"' },
    { verb: "get", code: 0, labels: 'code="<error>",method="GET"' },
  ]) {
    it(`counts ${verb} ${code} as ${labels}`, async () => {
      const metrics = new Metrics({ process: false });

      metrics.client("h:6443").observe(verb, code, "pods", 0.5);

      expect(await samples(metrics, /^rest_client_requests/)).to.deep.equal({
        [`rest_client_requests_total{${labels},host="h:6443"}`]: 1,
      });
    });
  }
});

describe("Metrics of what others write", () => {
  it("count requests for any number of resources in 256 series and one for the rest", async () => {
    const metrics = new Metrics({ process: false });
    const client = metrics.client("h:6443");

    for (let each = 0; each < 2000; each += 1)
      client.observe("get", 404, `r${each}.example.com`, 0);
    client.observe("get", 404, "r7.example.com", 0);

    const found = await samples(metrics, /^kopf_client_requests_total/);
    const series = (resource: string): string =>
      `kopf_client_requests_total{verb="get",resource="${resource}",code="404"}`;
    expect(Object.keys(found)).to.have.length(257);
    expect(found[series("r7.example.com")]).to.equal(2);
    expect(found[series("other")]).to.equal(1744);
  });

  it("count failures by the reasons that exist, and all others as one", async () => {
    const metrics = new Metrics({ process: false });
    const watch = metrics.watch({ cluster: "", resource: "pods" });

    for (const reason of ["Forbidden", "Stalled", "", "x1", "x2", "constructor"])
      watch.failed(reason);

    const series = (reason: string): string =>
      `kopf_reflector_failures_total{cluster="",resource="pods",reason="${reason}"}`;
    expect(await samples(metrics, /^kopf_reflector_failures/)).to.deep.equal({
      [series("Forbidden")]: 1,
      [series("Stalled")]: 1,
      [series("Other")]: 4,
    });
  });
});

describe("Metrics of a cluster that is gone", () => {
  it("are dropped, those of others stay", async () => {
    const metrics = new Metrics({ process: false });
    for (const cluster of ["a", "b"]) {
      const watch = metrics.watch({ cluster, resource: "pods" });
      watch.opened();
      watch.received(10);
      watch.event("ADDED");
      watch.listed("stream", 100, 5);
      watch.failed("Forbidden");
      metrics.cache({ cluster, resource: "pods" }).audited(1);
      metrics.client(`${cluster}:6443`).observe("get", 200, "pods", 0.1);
    }

    metrics.forget({ cluster: "a", host: "a:6443" });

    const text = await metrics.text();
    expect(text).to.not.match(/cluster="a"|host="a:6443"/);
    expect(text.match(/cluster="b"/g)?.length).to.be.greaterThan(10);
  });
});

describe("series that are forgotten", () => {
  const family = (name: string) => ({ name, help: name, labels: ["cluster"] });
  const labels = { cluster: "a" };

  for (const { name, use } of [
    { name: "a counter", use: (metrics: Metrics) => metrics.counter(family("x")).with(labels).inc },
    { name: "a gauge", use: (metrics: Metrics) => metrics.gauge(family("x")).with(labels).inc },
    {
      name: "a histogram",
      use: (metrics: Metrics) => metrics.histogram(family("x")).with(labels).observe,
    },
  ]) {
    it(`come back when somebody still uses them and can be forgotten again: ${name}`, async () => {
      const metrics = new Metrics({ process: false });
      const used = use(metrics);
      const count = async (): Promise<number> => Object.keys(await samples(metrics, /^x/)).length;

      for (let times = 0; times < 2; times += 1) {
        used(1);
        expect(await count()).to.be.greaterThan(0);
        metrics.forget(labels);
        expect(await count()).to.equal(0);
      }
    });
  }

  it("are one series for those who held it and those who ask again", async () => {
    const metrics = new Metrics({ process: false });
    const held = metrics.counter(family("x")).with(labels);

    metrics.forget(labels);
    metrics.counter(family("x")).with(labels).inc();
    held.inc();

    expect(await samples(metrics, /^x/)).to.deep.equal({ 'x{cluster="a"}': 2 });
    metrics.forget(labels);
    expect(await samples(metrics, /^x/)).to.deep.equal({});
  });
});

describe("Metrics of an election", () => {
  it("say whether this process leads", async () => {
    const metrics = new Metrics({ process: false });
    const election = metrics.election("kube-system/x");
    const series = 'leader_election_master_status{name="kube-system/x"}';

    expect(await samples(metrics, /master/)).to.deep.equal({ [series]: 0 });
    election.leading(true);
    expect(await samples(metrics, /master/)).to.deep.equal({ [series]: 1 });
  });
});

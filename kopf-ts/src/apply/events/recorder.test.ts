import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { freshNamespace, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Clock, systemClock } from "../../base/index.ts";
import { connect, defineKind, type KubeObject, type ObjectRef, refTo } from "../../kube/index.ts";
import { Metrics } from "../../observe/index.ts";
import { eventually } from "../../testing/index.ts";
import { ConfigMap, Namespace, TestCluster } from "../testing/cluster.ts";
import { Event, type EventInput, type EventObject } from "./event.ts";
import type { EventLimits } from "./limits.ts";
import { EventRecorder } from "./recorder.ts";

const input: EventInput = { type: "Normal", reason: "Tested", message: "it works" };
const minute = 60_000;
const StorageClass = defineKind({
  group: "storage.k8s.io",
  version: "v1",
  plural: "storageclasses",
  kind: "StorageClass",
  scope: "Cluster",
});

/** The machine's clock, which a test can set forward; timers keep their pace. */
function movableClock(): Clock & { advance(ms: number): void } {
  let offset = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + offset,
    monotonic: () => systemClock.monotonic() + offset,
    advance: (ms) => {
      offset += ms;
    },
  };
}

interface Bench extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly clock: ReturnType<typeof movableClock>;
  readonly recorder: EventRecorder;
  /** An object of the test's own, which need not exist. */
  readonly object: ObjectRef;
  /** Events about an object, as the server has them. */
  events(object?: ObjectRef): Promise<readonly EventObject[]>;
  metric(line: string): Promise<number>;
}

async function open(limits: Partial<EventLimits> = {}): Promise<Bench> {
  const cluster = await TestCluster.open();
  const clock = movableClock();
  const metrics = new Metrics({ process: false });
  const recorder = new EventRecorder(cluster.client, {
    reportingController: "apply-test",
    reportingInstance: "instance-1",
    clock,
    metrics,
    limits,
  });
  const object = refTo(ConfigMap, uniqueName("object"), cluster.namespace);
  cluster.requests();
  return {
    cluster,
    clock,
    recorder,
    object,
    events: async ({ metadata } = object) => {
      const namespace = metadata.namespace ?? "default";
      const fieldSelector = `regarding.name=${metadata.name}`;
      return (await cluster.client.list(Event, { namespace, fieldSelector })).items;
    },
    metric: async (line) => valueIn(await metrics.text(), line),
    [Symbol.asyncDispose]: async () => {
      await recorder.flush();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

function valueIn(text: string, line: string): number {
  const found = text.split("\n").find((each) => each.startsWith(`${line} `));
  return found === undefined ? 0 : Number(found.slice(line.length + 1));
}

const writes = (bench: Bench): readonly string[] =>
  bench.cluster
    .requests()
    .filter((each) => each.includes("events.events.k8s.io") && !each.startsWith("list"));

describe("EventRecorder on an API server", function () {
  this.timeout(60_000);

  before(() => testEnv());

  it("writes an event beside its object, with all that the API asks for", async () => {
    await using bench = await open();

    bench.recorder.event(bench.object, { ...input, action: "Test" });
    await bench.recorder.flush();

    const [event, ...others] = await bench.events();
    expect(others).to.deep.equal([]);
    expect(event).to.deep.include({
      type: "Normal",
      reason: "Tested",
      action: "Test",
      note: "it works",
      reportingController: "apply-test",
      reportingInstance: "instance-1",
    });
    expect(event?.regarding).to.include({ kind: "ConfigMap", ...bench.object.metadata });
    expect(event?.series).to.equal(undefined);
    expect(await bench.metric('kopf_events_total{outcome="created"}')).to.equal(1);
  });

  it("writes about an object outside of namespaces into default, where kubectl describe looks", async () => {
    await using bench = await open();
    const storageClass = await bench.cluster.client.create({
      ...refTo(StorageClass, uniqueName("class")),
      provisioner: "test.dev/none",
    });

    bench.recorder.event(storageClass, input);
    await bench.recorder.flush();

    const { name } = storageClass.metadata;
    const { stdout } = await (await testEnv()).kubectl(["describe", "storageclass", name]);
    expect(await bench.events(refTo(StorageClass, name))).to.have.length(1);
    expect(stdout).to.match(/Normal +Tested .* apply-test +it works/);
  });

  for (const { name, object, ...more } of [
    { name: "a message far too long", message: "ü".repeat(5_000) },
    { name: "a name that no event may have", object: "system:With:Colons" },
    { name: "the longest name", object: "x".repeat(253) },
    { name: "a controller with a long name", reportingController: `a.dev/${"x".repeat(200)}` },
  ]) {
    it(`gets through with ${name}`, async () => {
      await using bench = await open();
      const about =
        object === undefined ? bench.object : refTo(ConfigMap, object, bench.cluster.namespace);

      bench.recorder.event(about, { ...input, ...more });
      await bench.recorder.flush();

      expect(await bench.events(about)).to.have.length(1);
    });
  }

  it("counts repetitions in one event", async () => {
    await using bench = await open();

    for (let count = 0; count < 5; count += 1) bench.recorder.event(bench.object, input);
    await bench.recorder.flush();

    const events = await bench.events();
    expect(events.map(({ series }) => series?.count)).to.deep.equal([5]);
    expect(await bench.metric('kopf_events_total{outcome="counted"}')).to.equal(4);
  });

  it("counts repetitions that come while the first is on its way, and later ones", async () => {
    await using bench = await open();
    bench.recorder.event(bench.object, input);
    await bench.recorder.flush();

    bench.recorder.event(bench.object, input);
    bench.recorder.event(
      { ...bench.object, metadata: { ...bench.object.metadata, resourceVersion: "9" } },
      input,
    );
    await bench.recorder.flush();

    const [event] = await bench.events();
    expect(event?.series?.count).to.equal(3);
    expect(Date.parse(event?.series?.lastObservedTime ?? "")).to.be.at.least(
      Date.parse(event?.eventTime ?? ""),
    );
  });

  it("writes all counts when it is flushed, however few may wait at once", async () => {
    await using bench = await open({ waiting: 3 });
    const objects = Array.from({ length: 10 }, (_, index) =>
      refTo(ConfigMap, `${bench.object.metadata.name}-${index}`, bench.cluster.namespace),
    );
    for (const object of objects) {
      bench.recorder.event(object, input);
      await bench.recorder.flush();
    }
    for (const object of objects) bench.recorder.event(object, input);

    await bench.recorder.flush();

    const counts = await Promise.all(
      objects.map(async (object) => (await bench.events(object))[0]?.series?.count),
    );
    expect(counts).to.deep.equal(objects.map(() => 2));
    expect(await bench.metric('kopf_events_dropped_total{reason="queue_full"}')).to.equal(0);
  });

  it("writes counts no more often than the interval says, and the last one too", async () => {
    await using bench = await open({ interval: 400 });
    const end = Date.now() + 900;

    while (Date.now() < end) {
      bench.recorder.event(bench.object, input);
      await systemClock.sleep(5);
    }
    await bench.recorder.flush();

    const all = writes(bench);
    const counted = await bench.metric('kopf_events_total{outcome="counted"}');
    expect(all.length).to.be.within(2, 4);
    expect((await bench.events())[0]?.series?.count).to.equal(counted + 1);
  });

  it("begins a new event after the window", async () => {
    await using bench = await open();
    bench.recorder.event(bench.object, input);
    await bench.recorder.flush();

    bench.clock.advance(6 * minute - 1_000);
    bench.recorder.event(bench.object, input);
    bench.clock.advance(6 * minute + 1_000);
    bench.recorder.event(bench.object, input);
    await bench.recorder.flush();

    const counts = (await bench.events()).map(({ series }) => series?.count ?? 1);
    expect(counts.toSorted()).to.deep.equal([1, 2]);
  });

  it("tells events of another reason, type, message or controller apart", async () => {
    await using bench = await open();

    bench.recorder.event(bench.object, input);
    for (const change of [
      { reason: "Other" },
      { type: "Warning" } as const,
      { message: "another" },
      { reportingController: "other" },
    ]) {
      bench.recorder.event(bench.object, { ...input, ...change });
    }
    await bench.recorder.flush();

    expect(await bench.events()).to.have.length(5);
  });

  it("writes an event again that the server has forgotten", async () => {
    await using bench = await open();
    bench.recorder.event(bench.object, input);
    await bench.recorder.flush();
    for (const event of await bench.events()) await bench.cluster.client.delete(event);

    bench.recorder.event(bench.object, input);
    await bench.recorder.flush();

    expect((await bench.events()).map(({ series }) => series?.count)).to.deep.equal([2]);
  });

  it("lets an object have 25 events and then one in five minutes, whatever they say", async () => {
    await using bench = await open();
    const other = refTo(ConfigMap, uniqueName("other"), bench.cluster.namespace);
    const tell = (object: ObjectRef, count: number): void => {
      for (let index = 0; index < count; index += 1) {
        const message = `${bench.clock.monotonic()} ${index}`;
        bench.recorder.event(object, { ...input, message });
      }
    };

    tell(bench.object, 100);
    tell(other, 3);
    bench.clock.advance(10 * minute + 1_000);
    tell(bench.object, 100);
    await bench.recorder.flush();

    expect(await bench.events()).to.have.length(27);
    expect(await bench.events(other)).to.have.length(3);
    expect(await bench.metric('kopf_events_dropped_total{reason="object_limit"}')).to.equal(173);
  });

  it("holds all objects together to a rate", async () => {
    await using bench = await open({ overall: { burst: 10, perSecond: 1 } });
    const objects = Array.from({ length: 30 }, (_, index) =>
      refTo(ConfigMap, `${bench.object.metadata.name}-${index}`, bench.cluster.namespace),
    );

    for (const object of objects) bench.recorder.event(object, input);
    await bench.recorder.flush();

    expect(writes(bench).length).to.be.within(10, 11);
    expect(await bench.metric('kopf_events_dropped_total{reason="overall_limit"}')).to.be.at.least(
      19,
    );
  });

  it("never writes about events", async () => {
    await using bench = await open();
    const event = refTo(Event, "some-event", bench.cluster.namespace);

    bench.recorder.event(event, input);
    bench.recorder.event({ ...event, apiVersion: "v1" }, input);
    await bench.recorder.flush();

    expect(writes(bench)).to.deep.equal([]);
    expect(await bench.metric('kopf_events_dropped_total{reason="about_event"}')).to.equal(2);
  });

  it("drops what the server refuses, without another attempt, and goes on", async () => {
    await using bench = await open();

    bench.recorder.event(bench.object, { ...input, reportingController: "no/valid/name" });
    bench.recorder.event(bench.object, input);
    await bench.recorder.flush();

    expect(writes(bench)).to.have.members([
      "create events.events.k8s.io 422",
      "create events.events.k8s.io 201",
    ]);
    expect(await bench.metric('kopf_events_dropped_total{reason="refused"}')).to.equal(1);
  });

  it("takes the end of a namespace for no fault", async () => {
    await using bench = await open();
    const env = await testEnv();
    const namespace = await freshNamespace(env);
    await bench.cluster.client.delete(refTo(Namespace, namespace));

    bench.recorder.event(refTo(ConfigMap, "x", namespace), input);
    bench.recorder.event(refTo(ConfigMap, "x", uniqueName("never-was")), input);
    await bench.recorder.flush();

    expect(await bench.metric('kopf_events_dropped_total{reason="namespace_gone"}')).to.equal(2);
  });

  it("never throws, whatever it is given", async () => {
    await using bench = await open();

    bench.recorder.event({} as KubeObject, input);
    bench.recorder.event(bench.object, {} as EventInput);
    await bench.recorder.flush();

    expect(await bench.metric('kopf_events_dropped_total{reason="invalid"}')).to.equal(2);
  });

  it("forgets the oldest series beyond its memory, but writes their counts first", async () => {
    await using bench = await open({ remembered: 2 });
    const objects = [0, 1, 2].map((index) =>
      refTo(ConfigMap, `${bench.object.metadata.name}-${index}`, bench.cluster.namespace),
    );
    for (const object of objects.slice(0, 2)) bench.recorder.event(object, input);
    await bench.recorder.flush();
    for (const object of objects) bench.recorder.event(object, input);
    await bench.recorder.flush();

    const counts = await Promise.all(
      objects.map(async (object) => (await bench.events(object))[0]?.series?.count ?? 1),
    );
    expect(counts).to.deep.equal([2, 2, 1]);
  });
});

describe("EventRecorder without a server", function () {
  this.timeout(10_000);

  const unreachable = (limits: Partial<EventLimits>, server = "http://127.0.0.1:9") => {
    const metrics = new Metrics({ process: false });
    const client = connect({ server }, { kinds: [Event], timeout: 300 });
    const recorder = new EventRecorder(client, { reportingController: "x", metrics, limits });
    return {
      recorder,
      dropped: async (reason: string) =>
        valueIn(await metrics.text(), `kopf_events_dropped_total{reason="${reason}"}`),
    };
  };
  const about = (index: number): ObjectRef => refTo(ConfigMap, `object-${index}`, "default");

  it("keeps a bounded number, counts the rest, and costs the caller next to nothing", async () => {
    const { recorder, dropped } = unreachable({
      overall: { burst: 1e6, perSecond: 1 },
      waiting: 100,
      requests: 1,
      flush: 50,
    });
    const start = performance.now();

    for (let index = 0; index < 10_000; index += 1) recorder.event(about(index), input);
    const took = performance.now() - start;
    await recorder.flush();

    expect(await dropped("queue_full")).to.equal(10_000 - 101);
    expect(await dropped("flush_timeout")).to.equal(100);
    expect(took).to.be.below(1_000);
  });

  it("tells an event again that a flush ran out of time for", async () => {
    const answers: (() => void)[] = [];
    const server = createHttpServer((_, answer) => {
      answers.push(() => answer.writeHead(201, { "content-type": "application/json" }).end("{}"));
      if (answers.length > 1) answers.at(-1)?.();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const limits = { flush: 50, requests: 1, interval: 1, attempts: 1 };
    const { recorder, dropped } = unreachable(limits, `http://127.0.0.1:${port}`);
    recorder.event(about(1), input);
    recorder.event(about(2), input);
    await recorder.flush();
    const lost = await dropped("flush_timeout");
    await eventually(() => answers.length === 1, { what: "the first event" });

    answers[0]?.();
    recorder.event(about(2), input);

    await eventually(() => answers.length === 2, { what: "the second event" });
    expect(lost).to.equal(1);
    await recorder.flush();
    server.close();
    server.closeAllConnections();
  });

  it("drops after its last attempt", async () => {
    const { recorder, dropped } = unreachable({ attempts: 1 });

    recorder.event(about(1), input);
    await recorder.flush();

    expect(await dropped("unreachable")).to.equal(1);
  });

  it("does not wait for a server that never answers longer than flush may take", async () => {
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    const { port } = silent.address() as { port: number };
    const { recorder } = unreachable({ flush: 100, attempts: 1 }, `http://127.0.0.1:${port}`);
    const start = performance.now();

    recorder.event(about(1), input);
    await recorder.flush();

    expect(performance.now() - start).to.be.within(95, 5_000);
    silent.close();
  });
});

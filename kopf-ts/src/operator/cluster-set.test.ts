import { type ControlPlane, freshNamespace, testEnv } from "@drover/env";
import { expect } from "chai";
import { keptLog } from "../admission/testing/lines.ts";
import { systemClock } from "../base/index.ts";
import { type Controller, done } from "../control/index.ts";
import {
  type Client,
  type ClusterConfig,
  connect,
  defineKind,
  type KubeObject,
  loadConfig,
  resourceName,
} from "../kube/index.ts";
import { Metrics } from "../observe/index.ts";
import { eventually, startFaultProxy } from "../testing/index.ts";
import type { ClusterState } from "./cluster.ts";
import { ClusterSet, type ClusterSetOptions } from "./cluster-set.ts";
import { aGadget, install } from "./testing/gadgets.ts";

const ConfigMap = defineKind({
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  scope: "Namespaced",
});

describe("ClusterSet", function () {
  this.timeout(60_000);

  let controlPlane: ControlPlane;
  let namespace = "";
  before(async () => {
    controlPlane = await testEnv();
    namespace = await freshNamespace(controlPlane);
    await using client = connect(await config());
    await client.create({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "x", namespace, labels: { seen: "" } },
    });
  });

  const config = (): Promise<ClusterConfig> =>
    loadConfig({ kubeconfig: controlPlane.kubeconfigPath });
  const nowhere: ClusterConfig = { server: "https://127.0.0.1:1" };

  /** Notes the clusters it runs in. */
  function noting(seen: string[], more: Partial<Controller> = {}): Controller {
    return {
      name: "noting",
      watches: ConfigMap,
      select: { namespace, labelSelector: "seen" },
      reconcile: async (_object, { cluster }) => {
        seen.push(cluster);
        return done;
      },
      ...more,
    };
  }

  function aSet(options: Partial<ClusterSetOptions> = {}): ClusterSet {
    const metrics = new Metrics({ process: false });
    return new ClusterSet({ name: "test", metrics, backoff: { min: 50, max: 200 }, ...options });
  }

  it("runs the controllers once per cluster, each with its own client and caches", async () => {
    const seen: string[] = [];
    await using clusters = aSet({ controllers: [noting(seen)] });

    const [a, b] = await Promise.all([
      clusters.engage("a", await config()),
      clusters.engage("b", await config()),
    ]);
    await eventually(() => seen.length === 2, { within: 5000 });

    expect([...seen].sort()).to.deep.equal(["a", "b"]);
    expect(clusters.names()).to.deep.equal(["a", "b"]);
    expect(clusters.get("a")).to.equal(a);
    expect(a.client).to.not.equal(b.client);
    expect(a.informers).to.not.equal(b.informers);
    expect([clusters.state("a"), clusters.state("c")]).to.deep.equal([
      { phase: "ready" },
      undefined,
    ]);
  });

  it("ends a cluster without touching the others", async () => {
    await using clusters = aSet({ controllers: [noting([])] });
    const [a, b] = await Promise.all([
      clusters.engage("a", await config()),
      clusters.engage("b", await config()),
    ]);

    await clusters.disengage("a");

    expect([a.signal.aborted, b.signal.aborted]).to.deep.equal([true, false]);
    expect([clusters.names(), clusters.get("a"), clusters.state("a")]).to.deep.equal([
      ["b"],
      undefined,
      undefined,
    ]);
    const read = a.client.list(ConfigMap, { namespace }).catch((error: Error) => error.message);
    expect(await read).to.contain("closed");
    expect((await b.client.list(ConfigMap, { namespace })).items.length).to.be.greaterThan(0);
  });

  it("lets a cluster's work drain before it ends", async () => {
    const begun = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const reconcile: Controller["reconcile"] = async (object, { client }) => {
      begun.resolve();
      await finish.promise;
      await client.patch(object, { merge: { metadata: { annotations: { drained: "yes" } } } });
      return done;
    };
    await using clusters = aSet({ controllers: [noting([], { reconcile })] });
    await clusters.engage("a", await config());
    await begun.promise;

    const ending = clusters.disengage("a");
    expect(clusters.state("a")).to.deep.equal({ phase: "disengaging" });
    finish.resolve();
    await ending;

    await using client = connect(await config());
    const { metadata } = await client.get(ConfigMap, "x", { namespace });
    expect(metadata.annotations).to.include({ drained: "yes" });
  });

  it("tries a cluster that is away again and again, and no other waits for it", async () => {
    const seen: string[] = [];
    await using proxy = await startFaultProxy(await config());
    await proxy.down();
    await using clusters = aSet({ controllers: [noting(seen)] });
    const away = clusters.engage("away", proxy.config);

    await clusters.engage("here", await config());
    await eventually(() => seen.includes("here"), { within: 5000 });
    const state = await eventually(() => reasonOf(clusters.state("away")), { within: 20_000 });
    expect(state).to.contain("127.0.0.1");

    await proxy.up();
    await away;
    await eventually(() => seen.includes("away"), { within: 5000 });
    expect(clusters.state("away")).to.deep.equal({ phase: "ready" });
  });

  it("asks for the config again after it failed", async () => {
    let asked = 0;
    const log = keptLog();
    await using clusters = aSet({ logger: log.logger });

    await clusters.engage("a", async () => {
      if (++asked < 3) throw new Error("the kubeconfig is not there yet");
      return config();
    });

    expect(asked).to.equal(3);
    const failures = log.lines.filter(
      ({ msg }) => msg === "cannot engage the cluster, trying again",
    );
    expect(failures.map(({ cluster, error }) => [cluster, (error as Error).message])).to.deep.equal(
      [
        ["a", "the kubeconfig is not there yet"],
        ["a", "the kubeconfig is not there yet"],
      ],
    );
  });

  describe("a source that is a function", () => {
    /** A cluster behind a proxy that can fail; asking counts. */
    async function behindProxy(answers: readonly ("proxy" | "direct")[], more = {}) {
      const proxy = await startFaultProxy(await config());
      const log = keptLog();
      const clusters = aSet({ controllers: [noting([])], logger: log.logger, ...more });
      const asked: string[] = [];
      const engaged = await clusters.engage("a", async () => {
        const answer = answers[Math.min(asked.length, answers.length - 1)] ?? "direct";
        asked.push(answer);
        return answer === "proxy" ? { ...proxy.config } : config();
      });
      const end = async (): Promise<void> => {
        await clusters[Symbol.asyncDispose]();
        await proxy[Symbol.asyncDispose]();
      };
      return { clusters, engaged, proxy, asked, log, [Symbol.asyncDispose]: end };
    }
    const phase = (clusters: ClusterSet): string | undefined => clusters.state("a")?.phase;

    it("is asked again when its answer leads nowhere", async () => {
      let asked = 0;
      await using clusters = aSet();

      await clusters.engage("a", async () => (++asked === 1 ? nowhere : config()));

      expect(asked).to.equal(2);
    });

    it("is asked again when its answer is refused", async () => {
      let asked = 0;
      const good = await config();
      const { path } = await controlPlane.kubeconfigFor({ token: "unknown" });
      const refused = await loadConfig({ kubeconfig: path });
      await using clusters = aSet();

      await clusters.engage("a", async () => (++asked === 1 ? refused : good));

      expect(asked).to.equal(2);
    });

    it("is asked at once when a ready cluster refuses the credentials, and followed", async () => {
      await using it = await behindProxy(["proxy", "direct"]);
      using _refused = it.proxy.always({ kind: "status", code: 401 });
      it.proxy.now({ kind: "cut" });

      const isOther = (): boolean => ![undefined, it.engaged].includes(it.clusters.get("a"));
      await eventually(isOther, { within: 10_000 });
      await eventually(() => phase(it.clusters) === "ready", { within: 5000 });

      expect(it.asked).to.deep.equal(["proxy", "direct"]);
      expect(it.engaged.signal.aborted).to.equal(true);
    });

    it("is asked when a ready cluster has been silent for long; the same answer tears nothing down", async () => {
      await using it = await behindProxy(["proxy"], { unreachableAfter: 1500 });
      const began = Date.now();

      await it.proxy.down();
      const state = await eventually(() => unreachable(it.clusters.state("a")), { within: 20_000 });
      expect(it.asked).to.have.length(1);
      await eventually(() => it.asked.length > 1, { within: 15_000 });

      expect(state.since).to.be.within(began, Date.now());
      expect(state.reason).to.contain("127.0.0.1");
      expect(it.clusters.get("a")).to.equal(it.engaged);
      await it.proxy.up();
      await eventually(() => phase(it.clusters) === "ready", { within: 15_000 });
      expect(it.clusters.get("a")).to.equal(it.engaged);
      expect(it.engaged.signal.aborted).to.equal(false);
      expect(
        it.log.messages("the cluster does not answer", "the cluster answers again"),
      ).to.deep.equal(["the cluster does not answer", "the cluster answers again"]);
    });

    it("is followed to where a silent cluster has moved", async () => {
      await using it = await behindProxy(["proxy", "direct"], { unreachableAfter: 500 });

      await it.proxy.down();
      await eventually(() => it.clusters.get("a")?.signal.aborted === false && it.asked[1], {
        within: 25_000,
      });
      await eventually(() => phase(it.clusters) === "ready", { within: 25_000 });

      expect(it.clusters.get("a")).to.not.equal(it.engaged);
      expect(it.asked).to.deep.equal(["proxy", "direct"]);
    });

    it("is asked also for a cluster that nothing watches", async () => {
      await using it = await behindProxy(["proxy", "direct"], {
        controllers: [],
        unreachableAfter: 500,
      });
      await systemClock.sleep(1500);
      expect([it.asked, it.clusters.get("a")]).to.deep.equal([["proxy"], it.engaged]);

      await it.proxy.down();
      await eventually(() => it.asked.length > 1, { within: 25_000 });

      await eventually(() => phase(it.clusters) === "ready", { within: 5000 });
    });

    it("may ignore its signal: disengaging waits for no answer", async () => {
      const clusters = aSet();
      const engaging = clusters.engage("a", () => new Promise(() => undefined));
      const ended = engaging.catch((error: Error) => error.name);

      await clusters.disengage("a");

      expect(await ended).to.equal("AbortError");
      expect(clusters.state("a")).to.equal(undefined);
    });
  });

  it("tells that a cluster of a fixed config does not answer", async () => {
    await using proxy = await startFaultProxy(await config());
    await using clusters = aSet({ controllers: [noting([])] });
    const engaged = await clusters.engage("a", proxy.config);

    await proxy.down();
    await eventually(() => unreachable(clusters.state("a")), { within: 20_000 });
    await proxy.up();
    await eventually(() => clusters.state("a")?.phase === "ready", { within: 15_000 });

    expect(clusters.get("a")).to.equal(engaged);
  });

  it("starts controllers whose kinds are there, names those that are missing, and starts theirs soon after their CRD", async () => {
    const seen: string[] = [];
    const Missing = aGadget();
    const waiting: Controller = { name: "waiting", watches: Missing, reconcile: async () => done };
    await using clusters = aSet({ controllers: [waiting, noting(seen)] });

    const engaging = clusters.engage("a", await config());
    await eventually(() => seen.includes("a"), { within: 5000 });

    const reason = await eventually(() => reasonOf(clusters.state("a")), { within: 5000 });
    expect(reason).to.contain(`${resourceName(Missing)}: NotFound`);
    await using client = connect(await config());
    await install(client, Missing);
    const isReady = (): boolean => clusters.state("a")?.phase === "ready";
    await eventually(isReady, { within: 5000 }); // by itself the watch would look after 15 to 30 s
    await engaging;
  });

  it("replaces a cluster whose source is another, after the former has gone", async () => {
    const told: string[] = [];
    await using clusters = aSet({ controllers: [noting([])] });
    using _listening = clusters.onChange((name, state) =>
      told.push(`${name} ${state?.phase ?? "gone"}`),
    );
    const [first, second] = [await config(), await config()];

    const one = await clusters.engage("a", first);
    expect(await clusters.engage("a", first)).to.equal(one);
    const two = await clusters.engage("a", second);

    expect(two).to.not.equal(one);
    expect(one.signal.aborted).to.equal(true);
    expect(clusters.get("a")).to.equal(two);
    await clusters.disengage("a");
    expect(told).to.deep.equal([
      "a engaging",
      "a ready",
      "a disengaging",
      "a engaging",
      "a ready",
      "a disengaging",
      "a gone",
    ]);
  });

  it("survives names that are engaged and disengaged in any order", async () => {
    await using clusters = aSet({ controllers: [noting([])] });
    const source = await config();
    const ended: unknown[] = [];

    for (let round = 0; round < 20; round++) {
      clusters
        .engage("a", round % 3 === 0 ? { ...source } : source)
        .catch((error: Error) => ended.push(error.name));
      if (round % 2 === 0) void clusters.disengage("a");
      if (round % 5 === 0) await clusters.disengage("a");
    }
    const last = await clusters.engage("a", source);

    expect(clusters.get("a")).to.equal(last);
    expect((await last.client.list(ConfigMap, { namespace })).items.length).to.be.greaterThan(0);
    expect(new Set(ended)).to.deep.equal(new Set(["AbortError"]));
  });

  it("ends one that was never reached at once", async () => {
    const clusters = aSet({ controllers: [noting([])] });
    const engaging = clusters.engage("a", nowhere).catch((error: Error) => error.name);

    const from = performance.now();
    await clusters[Symbol.asyncDispose]();

    expect(await engaging).to.equal("AbortError");
    expect(performance.now() - from).to.be.lessThan(1000);
    const late = clusters.engage("b", nowhere).catch((error: Error) => error.message);
    expect(await late).to.equal("the cluster set was disposed");
  });

  it("asks before each write of a cluster's controllers", async () => {
    const refused = Promise.withResolvers<Error>();
    const reconcile: Controller["reconcile"] = async (object, { client }) => {
      await client
        .patch(object, { merge: { metadata: { annotations: { owner: "wrong" } } } })
        .catch(refused.resolve);
      return done;
    };
    await using clusters = aSet({
      controllers: [noting([], { reconcile })],
      beforeWrite: (cluster) => {
        throw new Error(`another replica owns ${cluster}`);
      },
    });

    await clusters.engage("a", await config());

    expect((await refused.promise).message).to.equal("another replica owns a");
  });

  it("refuses a write at once that could only wait for a connection", async () => {
    const refused = Promise.withResolvers<Error>();
    const reconcile: Controller["reconcile"] = async (object, { client }) => {
      await client
        .patch(object, { merge: { metadata: { annotations: { owner: "wrong" } } } })
        .catch(refused.resolve);
      return done;
    };
    const waiting = (_name: string, config: ClusterConfig): Client => {
      const patch = (): Promise<never> => new Promise(() => undefined);
      return Object.assign(connect(config), { patch });
    };
    await using clusters = aSet({
      connect: waiting,
      controllers: [noting([], { reconcile })],
      drainTimeout: 1,
      beforeWrite: (cluster) => {
        throw new Error(`${cluster} is silent`);
      },
    });

    await clusters.engage("a", await config());

    expect((await refused.promise).message).to.equal("a is silent");
  });

  it("is not disturbed by a listener that fails", async () => {
    const log = keptLog();
    await using clusters = aSet({ logger: log.logger });
    using _listening = clusters.onChange(() => {
      throw new Error("no");
    });

    await clusters.engage("a", await config());

    expect(log.messages("a listener to clusters failed")).to.have.length(2);
  });

  it("forgets the metrics of a cluster with it, those of a shared server with the last", async () => {
    const metrics = new Metrics({ process: false });
    await using clusters = aSet({ metrics, controllers: [noting([])] });
    const { host } = new URL((await config()).server);
    await Promise.all([clusters.engage("a", await config()), clusters.engage("b", await config())]);
    expect(await metrics.text())
      .to.contain('cluster="a"')
      .and.to.contain(`host="${host}"`);

    await clusters.disengage("a");
    const without = await metrics.text();
    expect(without).to.not.contain('cluster="a"');
    expect(without).to.contain('cluster="b"');
    expect(without).to.contain(`host="${host}"`);

    await clusters.disengage("b");
    expect(await metrics.text()).to.not.match(new RegExp(`cluster="b"|host="${host}"`));
  });

  it("leaves nothing behind: 100 clusters, three times", async function () {
    this.timeout(120_000);
    await using client = connect(await config());
    for (let index = 0; index < 20; index++)
      await client.create(aConfigMap(`more-${index}`, namespace));
    const seen: string[] = [];
    await using clusters = aSet({ controllers: [noting(seen)] });
    const names = Array.from({ length: 100 }, (_, index) => `cluster-${index}`);
    const cycle = async (): Promise<Footprint> => {
      await Promise.all(names.map(async (name) => clusters.engage(name, await config())));
      await eventually(() => new Set(seen).size === names.length, { within: 10_000 });
      seen.length = 0;
      const engaged = await footprint();
      await Promise.all(names.map((name) => clusters.disengage(name)));
      return engaged;
    };
    await cycle(); // code is compiled, buffers that are kept for good are made

    const start = await footprint();
    for (let round = 0; round < 3; round++) {
      const engaged = await cycle();
      const end = await eventually(
        async () => {
          const now = await footprint();
          return now.heap <= start.heap * 1.05 && now;
        },
        { within: 5000 },
      );

      expect(engaged.sockets).to.be.at.least(start.sockets + 100);
      expect(engaged.timers).to.be.greaterThan(start.timers);
      expect(end.sockets).to.equal(start.sockets);
      expect(end.timers).to.equal(start.timers);
      expect(end.heap).to.be.at.most(start.heap * 1.05);
      expect(end.outside).to.be.at.most(start.outside * 1.05);
    }
  });
});

interface Footprint {
  readonly heap: number;
  /** Bytes outside of the heap. */
  readonly outside: number;
  readonly sockets: number;
  readonly timers: number;
}

/** What the process holds once the garbage is collected. */
async function footprint(): Promise<Footprint> {
  if (globalThis.gc === undefined) throw new Error("run mocha with --expose-gc");
  for (let round = 0; round < 4; round++) {
    await systemClock.sleep(20);
    globalThis.gc();
  }
  const { heapUsed: heap, external: outside } = process.memoryUsage();
  const resources = process.getActiveResourcesInfo();
  const count = (pattern: RegExp): number => resources.filter((name) => pattern.test(name)).length;
  return { heap, outside, sockets: count(/TCP|TLS|Pipe/), timers: count(/Timeout/) };
}

function aConfigMap(name: string, namespace: string): KubeObject {
  const metadata = { name, namespace, labels: { seen: "" } };
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata,
    data: { text: "y".repeat(2000) },
  } as KubeObject;
}

function unreachable(
  state: ClusterState | undefined,
): Extract<ClusterState, { phase: "unreachable" }> | undefined {
  return state?.phase === "unreachable" ? state : undefined;
}

function reasonOf(state: ClusterState | undefined): string | undefined {
  return state?.phase === "engaging" ? state.reason : undefined;
}

import { freshNamespace, testEnv } from "@drover/env";
import { expect } from "chai";
import { silentLogger, systemClock } from "../../base/index.ts";
import {
  type Client,
  type ClusterConfig,
  connect,
  defineKind,
  type KubeObject,
  loadConfig,
} from "../../kube/index.ts";
import { startFaultProxy } from "../../testing/index.ts";
import { scanned } from "../fixtures.ts";
import { Store } from "../store.ts";
import { Audit } from "./audit.ts";
import { Informers } from "./informers.ts";
import { Slots } from "./slots.ts";

const ConfigMap = defineKind({
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  scope: "Namespaced",
});

describe("Audit, with a real API server", function () {
  this.timeout(20_000);
  const { signal } = new AbortController();
  let config: ClusterConfig;
  let client: Client;
  let namespace: string;

  before(async function () {
    this.timeout(120_000);
    config = await loadConfig({ kubeconfig: (await testEnv()).kubeconfigPath });
  });
  beforeEach(async () => {
    namespace = await freshNamespace(await testEnv());
    client = connect(config);
    await client.create(aConfigMap("good"));
  });
  afterEach(() => client[Symbol.asyncDispose]());

  const aConfigMap = (name: string, label = "here"): KubeObject => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace, labels: { made: label } },
  });

  /** A store that was filled once and hears nothing more, with an audit of it. */
  async function aDeafCache(): Promise<{
    readonly store: Store;
    readonly audit: Audit;
    readonly audited: readonly number[];
    readonly relists: () => number;
  }> {
    const store = new Store(ConfigMap);
    const options = { namespace, labelSelector: "made=here" };
    const fill = async (): Promise<void> => {
      const { items, resourceVersion } = await client.list(ConfigMap, options);
      store.begin();
      for (const item of items) store.item(scanned(item));
      store.end(resourceVersion);
    };
    await fill();
    const audited: number[] = [];
    let relists = 0;
    const audit = new Audit(
      {
        ...{ client, store, options, clock: systemClock, logger: silentLogger },
        slots: new Slots(1),
        metrics: {
          observe: () => ({ [Symbol.dispose]: () => undefined }),
          audited: (healed) => audited.push(healed),
        },
        relist: () => {
          relists++;
          return fill();
        },
      },
      { settle: 50 },
    );
    return { store, audit, audited, relists: () => relists };
  }

  /** What the server has. */
  async function truth(): Promise<ReadonlyMap<string, string>> {
    const { items } = await client.list(ConfigMap, { namespace, labelSelector: "made=here" });
    return new Map(
      items.map(({ metadata }) => [
        `${metadata.namespace}/${metadata.name}`,
        metadata.resourceVersion ?? "",
      ]),
    );
  }

  function shown(store: Store): ReadonlyMap<string, string> {
    return new Map([...store.keys()].map((key) => [key, store.resourceVersionOf(key) ?? ""]));
  }

  it("finds nothing in a cache that is right", async () => {
    const { audit, audited } = await aDeafCache();

    const report = await audit.run(signal);

    expect(report).to.deep.equal({ compared: 1, healed: 0 });
    expect(audited).to.deep.equal([0]);
  });

  it("heals what was missed: objects that came, changed, went, or left the selection", async () => {
    for (const name of ["changed", "gone", "leaves"]) await client.create(aConfigMap(name));
    const { store, audit, audited, relists } = await aDeafCache();
    const told: string[] = [];
    store.subscribe(({ type, key }) => told.push(`${type} ${key.split("/")[1]}`));
    await client.create(aConfigMap("came"));
    await client.patch(aConfigMap("changed"), { merge: { data: { a: "1" } } });
    await client.delete(aConfigMap("gone"));
    await client.patch(aConfigMap("leaves"), { merge: { metadata: { labels: { made: "no" } } } });

    const report = await audit.run(signal);

    expect(report.healed).to.equal(4);
    expect(audited).to.deep.equal([4]);
    expect(relists()).to.equal(0);
    expect(new Map([...shown(store)].sort())).to.deep.equal(new Map([...(await truth())].sort()));
    expect(store.get(`${namespace}/changed`)).to.have.deep.property("data", { a: "1" });
    expect(told.sort()).to.deep.equal([
      "ADDED came",
      "DELETED gone",
      "DELETED leaves",
      "MODIFIED changed",
    ]);
  });

  it("heals what was never so", async () => {
    const { store, audit } = await aDeafCache();
    const good = await client.get(ConfigMap, "good", { namespace });
    const { resourceVersion = "" } = good.metadata;
    const made = { ...good, metadata: { ...good.metadata, name: "made-up", uid: "made-up" } };
    store.heal(`${namespace}/made-up`, scanned(made));
    const older = { ...good, metadata: { ...good.metadata, resourceVersion: "1" } };
    store.heal(`${namespace}/good`, scanned(older));

    const report = await audit.run(signal);

    expect(report.healed).to.equal(2);
    expect(shown(store)).to.deep.equal(new Map([[`${namespace}/good`, resourceVersion]]));
  });

  it("lists anew when much is wrong", async () => {
    const { store, audit, relists } = await aDeafCache();
    await Promise.all(
      Array.from({ length: 60 }, (_, index) => client.create(aConfigMap(`new-${index}`))),
    );

    const report = await audit.run(signal);

    expect(report).to.deep.equal({ compared: 61, healed: 60 });
    expect(relists()).to.equal(1);
    expect(store.size).to.equal(61);
  });

  it("leaves a cache alone that hears of everything a little later", async () => {
    const { store, audit } = await aDeafCache();
    const created = await client.create(aConfigMap("new"));
    const changed = await client.patch(aConfigMap("good"), { merge: { data: { a: "1" } } });
    const late = systemClock.after(20, () => {
      store.change("ADDED", scanned(created));
      store.change("MODIFIED", scanned(changed));
    });

    const report = await audit.run(signal);
    late.cancel();

    expect(report).to.deep.equal({ compared: 2, healed: 0 });
  });

  it("finds nothing in an informer's cache while objects change all the time", async () => {
    await using informers = new Informers(client, { audit: { settle: 2000 } });
    const informer = informers.acquire(ConfigMap, { namespace });
    await informer.whenSynced();
    const stop = new AbortController();
    const writing = (async () => {
      for (let n = 0; !stop.signal.aborted; n++) {
        await client.create(aConfigMap(`busy-${n}`));
        await client.patch(aConfigMap(`busy-${n}`), { merge: { data: { n: String(n) } } });
        if (n >= 5) await client.delete(aConfigMap(`busy-${n - 5}`));
      }
    })();

    const reports = [];
    for (let round = 0; round < 5; round++) reports.push(await informers.audit(signal));
    stop.abort();
    await writing;

    expect(reports.map(({ healed }) => healed)).to.deep.equal([0, 0, 0, 0, 0]);
  });

  it("heals the cache of a watch that has gone silent behind a live state", async () => {
    await using proxy = await startFaultProxy(config);
    const proxied = connect(proxy.config);
    await using informers = new Informers(proxied, {
      audit: { interval: 300, settle: 100 },
    });
    const { cache } = informers.acquire(ConfigMap, { namespace });
    await cache.whenSynced();
    proxy.now({ kind: "stall" });
    const { metadata } = await client.create(aConfigMap("unheard"));

    const deadline = performance.now() + 10_000;
    while (!cache.has(`${namespace}/unheard`) && performance.now() < deadline) {
      await systemClock.sleep(20);
    }

    expect(cache.watchState).to.deep.equal({ phase: "live" });
    expect(cache.resourceVersionOf(`${namespace}/unheard`)).to.equal(metadata.resourceVersion);
    await proxied[Symbol.asyncDispose]();
  });
});

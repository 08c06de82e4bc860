import { expect } from "chai";
import { Slots, silentLogger, systemClock } from "../../base/index.ts";
import { connect } from "../../kube/index.ts";
import { startFaultProxy } from "../../testing/index.ts";
import { Turns } from "../../watch/index.ts";
import { scanned } from "../fixtures.ts";
import { Store } from "../store.ts";
import {
  apiServer,
  type CacheTest,
  ConfigMap,
  eventually,
  shown,
  startCacheTest,
} from "../testing/harness.ts";
import { Audit } from "./audit.ts";
import { Informers } from "./informers.ts";

/** A store that was filled once and hears nothing more, with an audit of it. */
async function aDeafCache(
  { client, namespace }: CacheTest,
  form: { readonly table?: boolean } = {},
): Promise<{
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
      ...{ client, store, clock: systemClock, logger: silentLogger },
      options: { ...options, ...form },
      turns: new Turns(systemClock, 10),
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

describe("Audit, with a real API server", function () {
  this.timeout(20_000);
  const { signal } = new AbortController();
  let test: CacheTest;
  before(apiServer);
  beforeEach(async () => {
    test = await startCacheTest();
    await test.create("good");
  });
  afterEach(() => test[Symbol.asyncDispose]());

  it("finds nothing in a cache that is right", async () => {
    const { audit, audited } = await aDeafCache(test);

    const report = await audit.run(signal);

    expect(report).to.deep.equal({ compared: 1, healed: 0 });
    expect(audited).to.deep.equal([0]);
  });

  it("heals what was missed: objects that came, changed, went, or left the selection", async () => {
    for (const name of ["changed", "gone", "leaves"]) await test.create(name);
    const { store, audit, audited, relists } = await aDeafCache(test);
    const told: string[] = [];
    store.subscribe(({ type, key }) => told.push(`${type} ${key.split("/")[1]}`));
    await test.create("came");
    await test.client.patch(test.configMap("changed"), { merge: { data: { a: "1" } } });
    await test.remove("gone");
    await test.client.patch(test.configMap("leaves"), {
      merge: { metadata: { labels: { made: "no" } } },
    });

    const report = await audit.run(signal);

    expect(report.healed).to.equal(4);
    expect(audited).to.deep.equal([4]);
    expect(relists()).to.equal(0);
    expect(shown(store)).to.deep.equal(await test.stored());
    expect(store.get(test.key("changed"))).to.have.deep.property("data", { a: "1" });
    expect(told.sort()).to.deep.equal([
      "ADDED came",
      "DELETED gone",
      "DELETED leaves",
      "MODIFIED changed",
    ]);
  });

  it("heals rows of tables with their cells", async () => {
    const { store, audit } = await aDeafCache(test, { table: true });
    await test.client.patch(test.configMap("good"), { merge: { data: { a: "1", b: "2" } } });

    const report = await audit.run(signal);

    expect(report).to.deep.equal({ compared: 1, healed: 1 });
    const { metadata } = store.get(test.key("good")) ?? {};
    const since = Date.parse(metadata?.creationTimestamp ?? "");
    expect(metadata).to.have.deep.property("fields", ["good", 2, { since }]);
  });

  it("heals what was never so", async () => {
    const { store, audit } = await aDeafCache(test);
    const good = await test.client.get(ConfigMap, "good", { namespace: test.namespace });
    const { resourceVersion = "" } = good.metadata;
    const made = { ...good, metadata: { ...good.metadata, name: "made-up", uid: "made-up" } };
    store.heal(test.key("made-up"), scanned(made));
    const older = { ...good, metadata: { ...good.metadata, resourceVersion: "1" } };
    store.heal(test.key("good"), scanned(older));

    const report = await audit.run(signal);

    expect(report.healed).to.equal(2);
    expect(shown(store)).to.deep.equal(new Map([[test.key("good"), resourceVersion]]));
  });

  it("heals what is newer than the server ever had it, up to the time of its list", async () => {
    const { store, audit } = await aDeafCache(test);
    const good = await test.client.get(ConfigMap, "good", { namespace: test.namespace });
    const { resourceVersion = "" } = good.metadata;
    const another = await test.create("another");
    const newer = { ...good.metadata, resourceVersion: another.metadata.resourceVersion ?? "" };
    store.heal(test.key("good"), scanned({ ...good, metadata: newer }));

    const report = await audit.run(signal);

    expect(report).to.deep.equal({ compared: 2, healed: 2 });
    expect(store.resourceVersionOf(test.key("good"))).to.equal(resourceVersion);
  });

  it("lists anew when much is wrong", async () => {
    const { store, audit, relists } = await aDeafCache(test);
    await Promise.all(Array.from({ length: 60 }, (_, index) => test.create(`new-${index}`)));

    const report = await audit.run(signal);

    expect(report).to.deep.equal({ compared: 61, healed: 60 });
    expect(relists()).to.equal(1);
    expect(store.size).to.equal(61);
  });

  it("leaves a cache alone that hears of everything a little later", async () => {
    const { store, audit } = await aDeafCache(test);
    const created = await test.create("new");
    const changed = await test.client.patch(test.configMap("good"), {
      merge: { data: { a: "1" } },
    });
    const late = systemClock.after(20, () => {
      store.change("ADDED", scanned(created));
      store.change("MODIFIED", scanned(changed));
    });

    const report = await audit.run(signal);
    late.cancel();

    expect(report).to.deep.equal({ compared: 2, healed: 0 });
  });

  it("finds nothing in an informer's cache while objects change all the time", async () => {
    await using informers = new Informers(test.client, { audit: { settle: 2000 } });
    const informer = informers.acquire(ConfigMap, { namespace: test.namespace });
    await informer.whenSynced();
    const stop = new AbortController();
    const writing = (async () => {
      for (let n = 0; !stop.signal.aborted; n++) {
        await test.create(`busy-${n}`);
        await test.client.patch(test.configMap(`busy-${n}`), { merge: { data: { n: String(n) } } });
        if (n >= 5) await test.remove(`busy-${n - 5}`);
      }
    })();

    const reports = [];
    for (let round = 0; round < 5; round++) reports.push(await informers.audit(signal));
    stop.abort();
    await writing;

    expect(reports.map(({ healed }) => healed)).to.deep.equal([0, 0, 0, 0, 0]);
  });

  it("heals the cache of a watch that has gone silent behind a live state", async () => {
    await using proxy = await startFaultProxy(test.config);
    const proxied = connect(proxy.config);
    await using informers = new Informers(proxied, {
      audit: { interval: 300, settle: 100 },
    });
    const { cache } = informers.acquire(ConfigMap, { namespace: test.namespace });
    await cache.whenSynced();
    proxy.now({ kind: "stall" });
    const { metadata } = await test.create("unheard");

    await eventually(() => cache.has(test.key("unheard")));

    expect(cache.watchState).to.deep.equal({ phase: "live" });
    expect(cache.resourceVersionOf(test.key("unheard"))).to.equal(metadata.resourceVersion);
    await proxied[Symbol.asyncDispose]();
  });
});

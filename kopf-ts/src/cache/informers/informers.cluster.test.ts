import { expect } from "chai";
import { systemClock } from "../../base/index.ts";
import { collectionPath, connect, type KubeObject } from "../../kube/index.ts";
import { recordTransport, startFaultProxy } from "../../testing/index.ts";
import {
  apiServer,
  ConfigMap,
  eventually,
  Nothing,
  Secret,
  ServiceAccount,
  shown,
  startCacheTest,
} from "../testing/harness.ts";
import { Informers } from "./informers.ts";

describe("Informers, with a real API server", function () {
  this.timeout(20_000);
  before(apiServer);

  it("lists, then follows changes", async () => {
    await using test = await startCacheTest();
    const { client, namespace } = test;
    await test.create("first", { a: "1" });
    await using informers = new Informers(client);
    const { cache } = informers.acquire(ConfigMap, { namespace });
    await cache.whenSynced();
    const changes: string[] = [];
    cache.subscribe(({ type, key, initial }) => changes.push(`${type} ${key} ${initial}`));

    const second = await test.create("second");
    const reached = await cache.waitFor(second.metadata.resourceVersion ?? "");
    const changed = await client.patch(second, { merge: { data: { b: "2" } } });
    await test.remove("first");
    await eventually(() => !cache.has(test.key("first")));

    expect(reached).to.equal(true);
    expect(cache.uidOf(test.key("second"))).to.equal(second.metadata.uid);
    const { managedFields: _, ...bare } = changed.metadata;
    expect(cache.get(test.key("second"))).to.deep.equal({ ...changed, metadata: bare });
    expect(changes).to.deep.equal([
      `ADDED ${namespace}/second false`,
      `MODIFIED ${namespace}/second false`,
      `DELETED ${namespace}/first false`,
    ]);
  });

  it("shares one watch among users of the same form, and only among them", async () => {
    await using test = await startCacheTest();
    const { namespace } = test;
    const { client: recorded, calls } = recordTransport(test.client);
    await using informers = new Informers(recorded);
    const first = informers.acquire(ConfigMap, { namespace });
    const second = informers.acquire(ConfigMap, { namespace });
    const other = informers.acquire(ConfigMap, { namespace, labelSelector: "made=here" });
    await Promise.all([first, second, other].map((each) => each.whenSynced()));

    expect(first.cache).to.equal(second.cache);
    expect(other.cache).to.not.equal(first.cache);
    expect(calls).to.have.length(2);
    expect(informers.report().map(({ users }) => users)).to.deep.equal([2, 1]);
  });

  it("keeps the cells of the server's tables with the objects, in a form of its own", async () => {
    await using test = await startCacheTest();
    const { client, namespace } = test;
    const { metadata } = await test.create("first", { a: "1" });
    await using informers = new Informers(client);
    const plain = informers.acquire(ConfigMap, { namespace });
    const table = informers.acquire(ConfigMap, { namespace, table: true, keep: "columns" });
    const again = informers.acquire(ConfigMap, { namespace, table: true });
    await table.addColumns([{ name: "data", path: "metadata.fields[1]", type: "number" }]);
    await Promise.all([plain, table, again].map((each) => each.whenSynced()));
    const second = await test.create("second", { a: "1", b: "2" });
    await table.cache.waitFor(second.metadata.resourceVersion ?? "");

    expect(again.cache).to.equal(table.cache);
    expect(plain.cache).to.not.equal(table.cache);
    const since = Date.parse(metadata.creationTimestamp ?? "");
    expect(fieldsIn(table.cache.get(test.key("first")))).to.deep.equal(["first", 1, { since }]);
    expect(fieldsIn(plain.cache.get(test.key("first")))).to.equal(undefined);
    const filter = { column: "data", op: "=", value: "2" } as const;
    expect(table.cache.query({ filter }).keys).to.deep.equal([test.key("second")]);
  });

  it("ends the watch with the last share, and begins anew for the next", async () => {
    await using test = await startCacheTest();
    const { namespace } = test;
    const { client: recorded, calls } = recordTransport(test.client);
    await using informers = new Informers(recorded);
    const first = informers.acquire(ConfigMap, { namespace });
    const second = informers.acquire(ConfigMap, { namespace });
    await first.whenSynced();

    first.release();
    first.release();
    const oneLeft = informers.report().map(({ users }) => users);
    await test.create("late");
    await eventually(() => second.cache.has(test.key("late")));
    second.release();
    const noneLeft = informers.report();
    const waited = await second.whenSynced().catch((error: Error) => error.message);
    const third = informers.acquire(ConfigMap, { namespace });
    await third.whenSynced();

    expect(oneLeft).to.deep.equal([1]);
    expect(noneLeft).to.deep.equal([]);
    expect(second.cache.size).to.equal(0);
    expect(waited).to.equal(undefined); // it was synced before
    expect(third.cache.has(test.key("late"))).to.equal(true);
    expect(calls).to.have.length(2);
  });

  it("starts no more first lists at once than it may", async () => {
    await using test = await startCacheTest();
    const { namespace } = test;
    const { client: recorded, calls } = recordTransport(test.client);
    await using informers = new Informers(recorded, { lists: 1 });
    const kinds = [ConfigMap, Secret, ServiceAccount];
    const shares = kinds.map((kind) => informers.acquire(kind, { namespace }));
    const begun: number[] = [];
    for (const { cache } of shares) void cache.whenSynced().then(() => begun.push(calls.length));
    await Promise.all(shares.map((each) => each.whenSynced()));

    expect(begun[0]).to.equal(1);
    expect(calls).to.have.length(3);
  });

  it("lets others list while one kind is not served", async () => {
    await using test = await startCacheTest();
    const { client, namespace } = test;
    await using informers = new Informers(client, { lists: 1 });
    const missing = informers.acquire(Nothing, { namespace });
    const served = informers.acquire(ConfigMap, { namespace });
    await served.whenSynced();

    expect(missing.cache.synced).to.equal(false);
    expect(missing.cache.watchState).to.include({ phase: "degraded", reason: "NotFound" });
  });

  it("tells when the server refuses a watch, and tries again once its kind is said to be served", async () => {
    await using test = await startCacheTest();
    const { config, namespace } = test;
    await using proxy = await startFaultProxy(config);
    const missing = { kind: "status", code: 404 } as const;
    const secrets = proxy.always(missing, ({ path }) => path.includes("secrets"));
    using _accounts = proxy.always(missing, ({ path }) => path.includes("serviceaccounts"));
    await using proxied = connect(proxy.config);
    await using informers = new Informers(proxied);
    const told: boolean[] = [];
    using _told = informers.onRefused((refused) => told.push(refused));
    const secret = informers.acquire(Secret, { namespace });
    const account = informers.acquire(ServiceAccount, { namespace });
    await informers.acquire(ConfigMap, { namespace }).whenSynced();
    await eventually(() =>
      [secret, account].every(({ cache }) => cache.watchState.phase === "degraded"),
    );
    secrets[Symbol.dispose]();
    const before = proxy.requests.length;

    informers.retry([Secret, ConfigMap, { ...ServiceAccount, version: "v2" }]);
    await secret.whenSynced();
    expect(told).to.deep.equal([false, true]);
    account.release();

    const asked = proxy.requests.slice(before).map(({ path }) => path.replace(/\?.*/, ""));
    expect(asked).to.deep.equal([collectionPath(Secret, namespace)]);
    expect(told).to.deep.equal([false, true, false]);
  });

  it("watches metadata alone, under the kind's own name", async () => {
    await using test = await startCacheTest();
    const { client, namespace } = test;
    await test.create("one", { a: "x".repeat(1000) });
    await using informers = new Informers(client);
    const { cache } = informers.acquire(ConfigMap, { namespace, metadataOnly: true });
    await cache.whenSynced();

    const object = cache.get(test.key("one"));
    expect(object).to.include({ apiVersion: "v1", kind: "ConfigMap" });
    expect(object?.data).to.equal(undefined);
    expect(cache.raw(test.key("one"))?.length).to.be.below(600);
  });

  it("follows metadata alone as it changes", async () => {
    await using test = await startCacheTest();
    const { client, namespace } = test;
    await test.create("one", { a: "1" });
    await using informers = new Informers(client);
    const metadataOnly = true;
    const { cache } = informers.acquire(ConfigMap, { namespace, metadataOnly });
    const whole = informers.acquire(ConfigMap, { namespace });
    await Promise.all([cache.whenSynced(), whole.whenSynced()]);
    const told: unknown[] = [];
    cache.subscribe((change) => told.push([change.type, change.current()?.metadata.labels]));

    await client.patch(test.configMap("one"), { merge: { metadata: { labels: { more: "x" } } } });
    await test.remove("one");
    await eventually(() => !cache.has(test.key("one")) && !whole.cache.has(test.key("one")));

    expect(whole.cache).to.not.equal(cache);
    expect(told).to.deep.equal([
      ["MODIFIED", { made: "here", more: "x" }],
      ["DELETED", undefined],
    ]);
  });

  it("waits until a cache has what was written, or says that it has not", async () => {
    await using test = await startCacheTest();
    const { config, namespace } = test;
    await using proxy = await startFaultProxy(config);
    await using proxied = connect(proxy.config);
    await using informers = new Informers(proxied);
    const { cache } = informers.acquire(ConfigMap, { namespace });
    await cache.whenSynced();

    for (let n = 0; n < 5; n++) {
      const { metadata } = await test.create(`new-${n}`);
      expect(await cache.waitFor(metadata.resourceVersion ?? "")).to.equal(true);
      expect(cache.resourceVersionOf(test.key(`new-${n}`))).to.equal(metadata.resourceVersion);
    }
    proxy.now({ kind: "stall" });
    const { metadata } = await test.create("unheard");
    const reached = await cache.waitFor(metadata.resourceVersion ?? "", { timeout: 100 });

    expect(reached).to.equal(false);
    expect(cache.has(test.key("unheard"))).to.equal(false);
  });

  it("finds by a new list what came, changed and went while its watch was cut", async () => {
    await using test = await startCacheTest();
    const { client, namespace, config } = test;
    for (const name of ["same", "changed", "gone"]) await test.create(name, { color: "red" });
    await using proxy = await startFaultProxy(config);
    await using proxied = connect(proxy.config);
    await using informers = new Informers(proxied, { timing: { backoffMin: 8, backoffMax: 50 } });
    const shares = (["columns", "objects"] as const).map((keep) =>
      informers.acquire(ConfigMap, { namespace, keep, labelSelector: "made=here" }),
    );
    await Promise.all(shares.map((share) => share.addColumns([{ name: "data.color" }])));
    await Promise.all(shares.map((share) => share.whenSynced()));
    const told = shares.map(({ cache }) => {
      const changes: string[] = [];
      cache.subscribe(({ type, key }) => changes.push(`${type} ${key.split("/")[1]}`));
      return changes;
    });

    using _tooOld = proxy.always({ kind: "status", code: 410 }, ({ form }) => form === "watch");
    const outage = proxy.always({ kind: "status", code: 503 });
    proxy.now({ kind: "cut" });
    await client.patch(test.configMap("changed"), { merge: { data: { color: "blue" } } });
    await test.remove("gone");
    await test.create("new", { color: "green" });
    outage[Symbol.dispose]();
    const expected = await test.stored();
    await eventually(() => told.every((changes) => changes.length === 3));

    for (const [index, { cache }] of shares.entries()) {
      expect(told[index]?.toSorted()).to.deep.equal([
        "ADDED new",
        "DELETED gone",
        "MODIFIED changed",
      ]);
      expect(shown(cache)).to.deep.equal(expected);
      expect(Object.fromEntries(cache.counts("data.color"))).to.deep.equal({
        ...{ red: 1, blue: 1, green: 1 },
      });
    }
  });

  it("fills columns of users who come later, also where no bytes are kept", async () => {
    await using test = await startCacheTest();
    const { client, namespace } = test;
    await test.create("one", { color: "red" });
    await test.create("two", { color: "blue" });
    await using informers = new Informers(client);
    for (const keep of ["objects", "columns"] as const) {
      const informer = informers.acquire(ConfigMap, { namespace, keep });
      await informer.whenSynced();

      await informer.addColumns([{ name: "data.color" }]);
      await informer.addIndex("color", ({ data }) => (data?.color ? [data.color] : []));

      const filter = { column: "data.color", op: "=", value: "blue" } as const;
      expect(informer.cache.query({ filter }).keys).to.deep.equal([test.key("two")]);
      expect(informer.cache.keysByIndex("color", "red")).to.deep.equal([test.key("one")]);
      expect(informer.cache.raw(test.key("two")) !== undefined).to.equal(keep === "objects");
      informer.release();
    }
  });

  it("gives those who want less a share of what keeps more", async () => {
    await using test = await startCacheTest();
    const { client, namespace } = test;
    await using informers = new Informers(client, { managedFields: "cold" });
    const all = informers.acquire(ConfigMap, { namespace });
    const bare = informers.acquire(ConfigMap, { namespace, managedFields: "drop" });
    const columns = informers.acquire(ConfigMap, { namespace, keep: "columns" });
    await all.whenSynced();

    expect(bare.cache).to.equal(all.cache);
    expect(columns.cache).to.equal(all.cache);
    expect(informers.report().map(({ users }) => users)).to.deep.equal([3]);
  });

  it("gives bytes back between holds, and loses no change", async () => {
    await using test = await startCacheTest();
    const { client, namespace } = test;
    await test.create("one", { color: "red" });
    await using informers = new Informers(client, { managedFields: "cold" });
    const share = informers.acquire(ConfigMap, { namespace, keep: "columns" });
    await share.addColumns([{ name: "data.color" }]);
    await share.whenSynced();
    const told: string[] = [];
    share.cache.subscribe(({ type, key }) => told.push(`${type} ${key}`));
    const without = share.cache.raw(test.key("one"));

    const hold = share.hold();
    await hold.ready;
    const held = share.cache.get(test.key("one"))?.data;
    const other = informers.acquire(ConfigMap, { namespace });
    await other.whenSynced();
    hold[Symbol.dispose]();
    await new Promise(setImmediate);
    const shared = share.cache.get(test.key("one"))?.data;
    other.release();
    await eventually(() => share.cache.stats.allocated === 0);
    const two = await test.create("two", { color: "blue" });
    await share.cache.waitFor(two.metadata.resourceVersion ?? "");

    expect(without).to.equal(undefined);
    expect([held, shared]).to.deep.equal([{ color: "red" }, { color: "red" }]);
    expect(share.cache.raw(test.key("two"))).to.equal(undefined);
    expect(share.cache.valueOf(test.key("two"), "data.color")).to.equal("blue");
    expect(told).to.deep.equal([`ADDED ${test.key("two")}`]);
    expect(informers.report()).to.have.length(1);
  });

  it("shows objects to who wants them only once all are there", async () => {
    await using test = await startCacheTest();
    const { client, namespace } = test;
    await test.create("one");
    await using informers = new Informers(client);
    const columns = informers.acquire(ConfigMap, { namespace, keep: "columns" });
    await columns.whenSynced();

    const objects = informers.acquire(ConfigMap, { namespace });
    await objects.whenSynced();

    expect(objects.cache).to.equal(columns.cache);
    expect(objects.cache.get(test.key("one"))?.metadata.name).to.equal("one");
  });

  it("takes columns and indexes back with the share that added them", async () => {
    await using test = await startCacheTest();
    const { client, namespace } = test;
    await using informers = new Informers(client);
    const first = informers.acquire(ConfigMap, { namespace });
    const second = informers.acquire(ConfigMap, { namespace });
    const index = ({ data }: ConfigMap): readonly string[] => Object.keys(data ?? {});
    await first.addColumns([{ name: "data.color" }]);
    await second.addColumns([{ name: "data.color" }, { name: "data.size" }]);
    await second.addIndex("keys", index);

    second.release();

    expect(() => first.cache.query({ sort: [{ column: "data.color" }] })).to.not.throw();
    expect(() => first.cache.query({ sort: [{ column: "data.size" }] })).to.throw("no column");
    expect(() => first.cache.byIndex("keys", "a")).to.throw("no index");
    expect(() => second.addColumns([{ name: "data.size" }])).to.throw("released");
  });

  it("keeps managedFields for those who want them", async () => {
    await using test = await startCacheTest();
    const { client, namespace } = test;
    const created = await test.create("one", { a: "1" });
    await using informers = new Informers(client);
    const { cache } = informers.acquire(ConfigMap, { namespace, managedFields: "cold" });
    await cache.whenSynced();

    const whole = JSON.parse(String(cache.rawWithManagedFields(test.key("one"))));
    expect(whole).to.deep.equal(created);
    expect(String(cache.raw(test.key("one")))).to.not.contain("managedFields");
  });

  it("leaves no socket, timer or byte behind", async () => {
    const { config, client } = await startCacheTest();
    await client[Symbol.asyncDispose](); // its sockets would be in the way
    await systemClock.sleep(1); // from here on mocha's own timer runs
    const before = resources();
    const own = connect(config);
    const informers = new Informers(own);
    const shares = [ConfigMap, Secret, ServiceAccount].map((kind) => informers.acquire(kind));
    await Promise.all(shares.map((each) => each.whenSynced()));
    const pending = shares.map(({ cache }) => cache.waitFor("9".repeat(30), { timeout: 60_000 }));
    const during = resources();

    await informers.dispose();
    await own[Symbol.asyncDispose]();
    await eventually(() => resources().length <= before.length);

    expect(during.length).to.be.greaterThan(before.length);
    expect(await Promise.all(pending)).to.deep.equal([false, false, false]);
    for (const { cache } of shares) {
      expect(cache.stats).to.include({ objects: 0, bytes: 0, allocated: 0, cold: 0 });
    }
    expect(() => informers.acquire(ConfigMap)).to.throw("disposed");
  });
});

/** What keeps the process alive. */
function resources(): readonly string[] {
  return process
    .getActiveResourcesInfo()
    .filter((each) => /TCP|TLS|Timeout|Immediate/.test(each))
    .sort();
}

function fieldsIn(object: KubeObject | undefined): unknown {
  return object && Reflect.get(object.metadata, "fields");
}

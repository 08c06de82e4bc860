import { type ControlPlane, freshNamespace, uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Client, connect, Informers, silentLogger, systemClock } from "kopf-ts";
import { eventually, leftBehind, startFaultProxy } from "kopf-ts/testing";
import { Problem } from "../problem.ts";
import { textAt } from "../tree.ts";
import { KnownTypes } from "../types/known-types.ts";
import type { ResourceType } from "../types/resource-type.ts";
import { aKind, change, crdOf, install, send, uninstall } from "../types/testing.test.support.ts";
import { TestCluster, type World, type WorldOptions, within } from "./collections.test.support.ts";
import { CacheBudget, type Collection, TypeCollections } from "./index.ts";

const never = new AbortController().signal;

describe("the caches of all types, on an API server", function () {
  this.timeout(90_000);

  let cluster: TestCluster;
  let plane: ControlPlane;
  let client: Client;

  before(async () => {
    cluster = await TestCluster.start();
    ({ plane, client } = cluster);
  });
  after(() => cluster?.[Symbol.asyncDispose]());

  const type = (id: string): ResourceType => cluster.type(id);
  const world = (options?: WorldOptions, using?: Client): World => cluster.world(options, using);

  async function put(namespace: string, name: string, color: string): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const made = await send(client, "POST", path, { metadata: { name }, data: { color } });
    return textAt(made, "metadata", "resourceVersion");
  }

  const colorIs = (value: string) =>
    ({ filter: { column: "data.color", op: "=", value } }) as const;

  it("lists a type once for all who ask at once, and adds a column once", async () => {
    await using test = world();
    const namespace = await freshNamespace(plane);
    const color = uniqueName("red");
    await put(namespace, "one", color);

    const shares = await Promise.all(
      [1, 2, 3].map(() => test.collections.use(type("configmap"), never)),
    );
    await Promise.all(shares.map((each) => each.need([{ name: "data.color" }])));

    expect(new Set(shares.map(({ cache }) => cache)).size).to.equal(1);
    expect(test.reportOf(type("configmap"))).to.have.length(1);
    expect(shares[0]?.cache.query(colorIs(color)).keys).to.deep.equal([`${namespace}/one`]);
    expect(shares[0]?.cache.get(`${namespace}/one`)?.metadata.name).to.equal("one");
    expect(shares[0]?.cache.changesSince(shares[0].cache.resourceVersion)).to.deep.equal([]);
  });

  it("drops the bytes of a type that is idle, keeps its columns in step, and brings the bytes back", async () => {
    await using test = world({ idle: 30 });
    const namespace = await freshNamespace(plane);
    const color = uniqueName("blue");
    const first = await test.collections.use(type("configmap"), never);
    await first.need([{ name: "data.color" }]);
    const { cache } = first;

    first[Symbol.dispose]();
    await eventually(() => cache.stats.allocated === 0, within);
    await cache.waitFor(await put(namespace, "late", color), { timeout: 30_000 });
    const idle = cache.query(colorIs(color)).keys;
    const raw = cache.raw(`${namespace}/late`);
    using second = await test.collections.use(type("configmap"), never);

    expect([idle, raw]).to.deep.equal([[`${namespace}/late`], undefined]);
    expect(second.cache).to.equal(cache);
    expect(cache.raw(`${namespace}/late`)?.toString()).to.contain(color);
    expect(await test.metrics.text()).to.match(
      /drover_api_cache_drops_total\{cluster="",reason="idle"\} 1/,
    );
  });

  it("keeps the bytes of what is used, however long, and drops them when others need the room", async () => {
    await using test = world({ memory: 1, idle: 600_000 });
    const namespace = await freshNamespace(plane);
    await put(namespace, "one", "red");
    using held = await test.collections.use(type("configmap"), never);
    const other = await test.collections.use(type("namespace"), never);
    const { cache } = other;
    const both = [held, other].map((each) => each.cache.stats.allocated > 0);

    other[Symbol.dispose]();
    await eventually(() => cache.stats.allocated === 0, within);

    expect(both).to.deep.equal([true, true]);
    expect(held.cache.get(`${namespace}/one`)?.metadata.name).to.equal("one");
    const dropped = /drover_api_cache_bytes\{cluster="",resource="namespaces",part="objects"\} 0/;
    const text = await eventually(async () => {
      const now = await test.metrics.text();
      return dropped.test(now) ? now : undefined;
    }, within);
    expect(text).to.match(
      /drover_api_cache_bytes\{cluster="",resource="configmaps",part="objects"\} [1-9]/,
    );
    expect(text).to.match(/drover_api_cache_users\{cluster="",resource="configmaps"\} 1/);
    expect(text).to.match(/drover_api_cache_limit_bytes 1\n/);
  });

  it("gives bytes back where another cluster needs the room that they share", async () => {
    const budget = new CacheBudget({ clock: systemClock, log: silentLogger }, 1);
    await using test = world({ budget, look: 600_000 });
    const used = await test.collections.use(type("namespace"), never);
    const { cache } = used;
    used[Symbol.dispose]();
    const before = cache.stats.allocated;

    await using other = world({ budget, look: 600_000 });
    using _ = await other.collections.use(type("configmap"), never);

    expect(before).to.be.greaterThan(0);
    await eventually(() => cache.stats.allocated === 0, within);
  });

  it("makes a type anew whose columns changed, tells its holders, and leaves others alone", async () => {
    await using test = world();
    const kind = aKind();
    const id = `${kind.group}.${kind.kind.toLowerCase()}`;
    const column = (name: string) => ({ name, type: "string", jsonPath: `.spec.${name}` });
    await install(client, crdOf(kind, { columns: [column("one")] }));
    await eventually(
      () => cluster.types.find(id)?.columns.some(({ name }) => name === "one"),
      within,
    );
    const before = type(id);
    const first = await test.collections.use(before, never);
    using other = await test.collections.use(type("namespace"), never);
    const spec = (): { name: string; from: () => string } => ({ name: "own", from: () => "x" });
    await first.need([spec()]);

    await change(client, crdOf(kind, { columns: [column("two")] }));
    await eventually(() => first.gone.aborted, within);
    const late = await first.need([{ name: "late" }]).catch((thrown: unknown) => thrown);
    first[Symbol.dispose]();
    // The server may tell of a change in more than one step.
    using second = await eventually(async () => {
      const used = await test.collections.use(before, never);
      const isNew = used.type.columns.some(({ name }) => name === "two");
      if (isNew) await used.need([spec()]).catch(() => undefined);
      if (isNew && !used.gone.aborted) return used;
      used[Symbol.dispose]();
      return undefined;
    }, within);

    expect(late).to.be.instanceOf(Problem).with.property("code", "SchemasNotRefreshed");
    expect(other.gone.aborted).to.equal(false);
    expect(second.cache.query({ sort: [{ column: "own" }] }).total).to.equal(0);

    await uninstall(client, kind);
    await eventually(() => second.gone.aborted, within);
    const code = (): Promise<unknown> =>
      test.collections.use(before, never).then(
        (used) => used[Symbol.dispose](),
        (thrown: Problem) => thrown.code,
      );
    await eventually(async () => (await code()) === "NotFound", within);
  });

  it("lists a type once though its columns come while it is listed and while it is used", async () => {
    await using proxy = await startFaultProxy(cluster.config);
    await using client = connect(proxy.config);
    await using informers = new Informers(client, { managedFields: "cold" });
    const log = silentLogger;
    const types = new KnownTypes(log);
    const first = type("configmap");
    await put(await freshNamespace(plane), "one", "red");
    types.replace([first]);
    const collections = new TypeCollections({ informers, types, clock: systemClock, log });
    const stop = new AbortController();
    const running = collections.start(stop.signal);
    const lists = (): number =>
      proxy.requests.filter(({ path, form }) => path.includes("/configmaps") && form !== "watch")
        .length;
    const columnsCome = (): ResourceType => {
      const next = { ...first, columns: [...first.columns] };
      types.replace([next]);
      return next;
    };

    const early = collections.use(first, never).catch((thrown: unknown) => thrown);
    await eventually(() => lists() > 0, within);
    const used = await collections.use(columnsCome(), never);
    const third = columnsCome();
    used[Symbol.dispose]();
    await early;
    const again = await collections.use(third, never);

    expect(used.gone.aborted).to.equal(true);
    expect(again.type).to.equal(third);
    expect(again.cache).to.equal(used.cache);
    expect(again.cache.stats.bytes).to.be.greaterThan(0);
    expect(lists()).to.equal(1);
    again[Symbol.dispose]();
    stop.abort();
    await running;
  });

  it("says why a type cannot be listed, and serves the others", async () => {
    const user = uniqueName("somebody");
    const metadata = { name: user };
    const apiGroup = "rbac.authorization.k8s.io";
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["*"] }];
    const roleRef = { apiGroup, kind: "ClusterRole", name: user };
    const subjects = [{ apiGroup, kind: "User", name: user }];
    const path = `/apis/${apiGroup}/v1`;
    await send(client, "POST", `${path}/clusterroles`, { metadata, rules });
    await send(client, "POST", `${path}/clusterrolebindings`, { metadata, roleRef, subjects });
    await using test = world({}, connect(cluster.config).as({ user }));

    const refused = await test.collections
      .use(type("secret"), never)
      .catch((each: unknown) => each);
    // The server may take a moment to know of the binding.
    const served = await eventually(
      () => test.collections.use(type("configmap"), never).catch(() => undefined),
      within,
    );

    expect(refused).to.be.instanceOf(Problem);
    expect(refused).to.include({ status: 503, message: "secret cannot be listed: Forbidden" });
    expect(served.cache.synced).to.equal(true);
  });

  it("waits no longer than its patience for a list that hangs, and no longer than its caller", async () => {
    await using proxy = await startFaultProxy(cluster.config);
    await using test = world({ patience: 300 }, connect(proxy.config));
    using _hanging = proxy.always({ kind: "silence" }, ({ path }) => path.includes("/secrets"));

    const late = await test.collections.use(type("secret"), never).catch((each: unknown) => each);
    // Its list may take longer than that on a busy machine.
    using other = await eventually(
      () => test.collections.use(type("configmap"), never).catch(() => undefined),
      within,
    );
    const stopped = new AbortController();
    const waiting = test.collections.use(type("secret"), stopped.signal).catch((each) => each);
    stopped.abort("enough");

    expect(late).to.include({
      status: 503,
      message: "secret cannot be listed: no list within 0.3 s",
    });
    expect(other.cache.synced).to.equal(true);
    expect(await waiting).to.equal("enough");
  });

  it("keeps nothing of those who waited for what cannot be listed", async () => {
    await using proxy = await startFaultProxy(cluster.config);
    await using test = world({}, connect(proxy.config));
    using _failing = proxy.always({ kind: "status", code: 500 }, ({ path }) =>
      path.includes("/secrets"),
    );

    const left = await leftBehind((signal) => test.collections.use(type("secret"), signal));

    expect(left).to.be.lessThan(200);
  });

  it("follows what can be listed and not watched", async () => {
    await using test = world({ poll: 50 });
    const status = type("componentstatus");
    expect(status.verbs).to.not.include("watch");

    using used = await test.collections.use(status, never);

    expect([...used.cache.keys()]).to.include("etcd-0");
    expect(used.cache.raw("etcd-0")?.toString()).to.contain("conditions");
  });

  it("refuses what has no list", async () => {
    await using test = world();
    const review = type("authorization.k8s.io.selfsubjectaccessreview");

    const refused = await test.collections.use(review, never).catch((each: unknown) => each);

    expect(refused).to.include({ status: 405, code: "MethodNotAllowed" });
    expect(refused).to.have.property("message").that.contains("is not a listable resource");
  });

  it("keeps no more columns of a type than it may, and all that are used", async () => {
    await using test = world({ columns: 3 });
    const used = await test.collections.use(type("configmap"), never);
    const other = await test.collections.use(type("configmap"), never);
    const columns = (...names: readonly string[]) =>
      names.map((name) => ({ name: `data.${name}` }));
    const has = ({ cache }: Collection, name: string): boolean => {
      try {
        return cache.query({ sort: [{ column: `data.${name}` }], limit: 0 }).total >= 0;
      } catch {
        return false;
      }
    };

    await used.need(columns("a", "b", "c", "d"));
    await used.need(columns("a"));
    const all = ["a", "b", "c", "d"].every((name) => has(used, name));
    used[Symbol.dispose]();
    await other.need(columns("b", "e"));

    expect(all).to.equal(true);
    expect(["a", "b", "c", "d", "e"].map((name) => has(other, name))).to.deep.equal([
      ...[true, true, false, false, true],
    ]);
    other[Symbol.dispose]();
  });

  it("gives everything back when it stops", async () => {
    await using test = world();
    const used = await test.collections.use(type("configmap"), never);

    await test.stop();

    expect(used.gone.aborted).to.equal(true);
    expect(test.informers.report()).to.deep.equal([]);
    const late = await test.collections.use(type("configmap"), never).catch((each) => each);
    expect(late).to.include({ status: 503 });
  });
});

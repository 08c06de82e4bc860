import { request } from "node:http";
import { connect as connectTcp } from "node:net";
import { type ControlPlane, freshNamespace, testEnv, uniqueName } from "@drover/env";
import { expect } from "chai";
import { type Client, connect, type KubeObject, loadConfig } from "kopf-ts";
import type { ConfigMap } from "kopf-ts/kinds";
import { eventually, fakeClock, seededRandom } from "kopf-ts/testing";
import { type Subscriber, SubscribeServer } from "./harness.test.support.ts";
import { loudLogger } from "./loud-logger.test.support.ts";
import { randomMessage } from "./random-message.test.support.ts";

const within = { within: 20_000 };
const seed = Number(process.env.SUBSCRIBE_SEED ?? 1);
const cases = Number(process.env.SUBSCRIBE_CASES ?? 20_000);

describe("subscribe, on an API server", function () {
  this.timeout(90_000);

  const { log, loud } = loudLogger();
  let plane: ControlPlane;
  let client: Client;
  let server: SubscribeServer;
  let namespace: string;

  before(async () => {
    plane = await testEnv();
    client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
    server = new SubscribeServer(client, { log });
    await server.start();
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await client?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    namespace = await freshNamespace(plane, "subscribe");
    await revisionWith("kube-root-ca.crt"); // the controller manager makes one in each namespace
  });
  afterEach(async () => {
    await server.closeAll();
    expect(loud, "lines at error level").to.deep.equal([]);
    await client.delete({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  });

  const make = (name: string, extra: object = {}, where = namespace): Promise<ConfigMap> =>
    client.create<ConfigMap>({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: where, ...extra },
      data: { n: "0" },
    });
  const ref = (name: string, where = namespace) => ({
    ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: where } },
  });
  const change = (name: string, merge: object): Promise<KubeObject> =>
    client.patch(ref(name), { merge });
  const remove = (name: string): Promise<boolean> => client.delete(ref(name));
  const inNamespace = (more: object = {}): object => ({
    ...{ resourceType: "configmap", namespace, ...more },
  });

  /** How far the cache has come; it has at least the object. */
  async function revisionWith(name: string): Promise<string> {
    const type = server.types.find("configmap");
    if (type === undefined) throw new Error("no type of ConfigMaps");
    const { cache } = await server.collections.use(type, new AbortController().signal);
    await eventually(() => cache.has(`${namespace}/${name}`), within);
    return cache.resourceVersion;
  }

  /** Binds somebody to rules in the namespace, and waits until that is known. */
  async function somebody(
    rules: readonly object[] = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }],
    name = uniqueName("somebody"),
  ): Promise<string> {
    const rbac = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name, namespace } };
    await client.create({ ...rbac, kind: "Role", rules });
    await client.create({
      ...{ ...rbac, kind: "RoleBinding", subjects: [{ kind: "User", name }] },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
    });
    const caller = { username: name, groups: ["system:authenticated"] };
    await eventually(() => {
      const reach = server.access.of(caller).listed({ group: "", plural: "configmaps" });
      return reach === "all" || reach.namespaces.size + reach.names.size > 0;
    }, within);
    return name;
  }

  const changeRules = (name: string, rules: readonly object[]): Promise<KubeObject> =>
    client.patch(
      {
        ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role" },
        metadata: { name, namespace },
      },
      { merge: { rules } },
    );

  describe("a watch", () => {
    it("tells what is made, changed and removed, and nothing of what was there", async () => {
      await make("before");
      await revisionWith("before");
      const admin = await server.subscriber();

      await admin.watch(inNamespace());
      await make("one");
      await change("one", { data: { n: "1" } });
      await remove("one");

      await admin.heard("resource.remove", "one");
      expect(admin.course).to.include.members(["start", "create one", "change one", "remove one"]);
      expect(admin.course).not.to.include("create before");
      expect(admin.told[0]).to.deep.equal({
        ...{ name: "resource.start", resourceType: "configmap", namespace },
        data: { type: "subscribe", links: {} },
      });
    });

    it("shows objects as lists do, with their revision", async () => {
      const admin = await server.subscriber();
      await admin.watch(inNamespace());
      await make("one");

      const { resourceType, revision, data } = await admin.heard("resource.create", "one");

      expect(resourceType).to.equal("configmap");
      expect(revision).to.equal(data.metadata.resourceVersion);
      expect(data).to.include({ id: `${namespace}/one`, type: "configmap", kind: "ConfigMap" });
      expect(data.links.self).to.equal(
        `http://127.0.0.1:${server.port}/v1/configmaps/${namespace}/one`,
      );
      expect(data.metadata.state).to.include({ name: "active", error: false });
      expect(data.metadata.fields.slice(0, 2)).to.deep.equal(["one", 1]);
    });

    it("shapes objects as the URL says", async () => {
      const query = "?exclude=metadata.managedFields&exclude=data";
      const admin = await server.subscriber(undefined, {}, query);
      await admin.watch(inNamespace());
      await make("one");

      const { data } = await admin.heard("resource.create", "one");

      expect(data).not.to.have.property("data");
      expect(data.metadata).not.to.have.property("managedFields");
    });

    it("is found by id, plural name and any case, and echoes what was sent", async () => {
      const admin = await server.subscriber();
      for (const resourceType of ["configmap", "configmaps", "ConfigMap"]) {
        await admin.watch(inNamespace({ resourceType }));
      }
      await make("one");

      await admin.until(() => admin.named("resource.create").length >= 3, "three events");
      const types = admin.named("resource.create").map((each) => each.resourceType);
      expect(types).to.have.members(["configmap", "configmaps", "ConfigMap"]);
    });

    it("of one object hears of no other", async () => {
      const admin = await server.subscriber();
      await admin.watch({ resourceType: "configmap", id: `${namespace}/two` });
      await admin.watch(inNamespace({ id: "two" }));
      await make("one");
      await make("two");
      await make("three");

      await admin.until(() => admin.named("resource.create").length === 2, "both events");
      await change("two", { data: { n: "1" } });
      await admin.until(() => admin.named("resource.change").length === 2, "both changes");
      expect(admin.course.filter((each) => !/two|start/.test(each))).to.deep.equal([]);
    });

    it("of a selector tells of objects that begin and cease to match", async () => {
      const admin = await server.subscriber();
      await admin.watch(inNamespace({ selector: "tier in (front),!old" }));
      await make("one", { labels: { tier: "front" } });
      await make("two", { labels: { tier: "back" } });
      await change("two", { metadata: { labels: { tier: "front" } } });
      await change("one", { data: { n: "1" } });
      await change("one", { metadata: { labels: { old: "yes" } } });
      await change("one", { data: { n: "2" } });
      await remove("one");
      await remove("two");

      await admin.heard("resource.remove", "two");
      expect(admin.course).to.deep.equal([
        ...["start", "create one", "create two", "change one", "remove one", "remove two"],
      ]);
    });

    it("tells each what they may see, with the links that they have", async () => {
      const lister = await server.subscriber(await somebody());
      const named = await server.subscriber(
        await somebody([
          { apiGroups: [""], resources: ["configmaps"], resourceNames: ["two"], verbs: ["get"] },
          { apiGroups: [""], resources: ["configmaps"], verbs: ["delete"] },
        ]),
      );
      const admin = await server.subscriber();
      const elsewhere = await freshNamespace(plane, "elsewhere");
      for (const each of [lister, named, admin]) await each.watch({ resourceType: "configmap" });

      await make("other", {}, elsewhere);
      await make("one");
      await make("two");

      for (const each of [lister, named, admin]) await each.heard("resource.create", "two");
      await admin.heard("resource.create", "other");
      expect(lister.course).to.deep.equal([...["start", "create one", "create two"]]);
      expect(named.course).to.deep.equal(["start", "create two"]);
      const linksOf = async (each: Subscriber): Promise<readonly string[]> =>
        Object.keys((await each.heard("resource.create", "two")).data.links).sort();
      expect(await linksOf(lister)).to.deep.equal(["self"]);
      expect(await linksOf(named)).to.deep.equal(["remove", "self", "view"]);
      expect(await linksOf(admin)).to.include.members([
        "patch",
        "remove",
        "self",
        "update",
        "view",
      ]);
      await client.delete({ apiVersion: "v1", kind: "Namespace", metadata: { name: elsewhere } });
    });
  });

  describe("a revision", () => {
    it("is where a watch goes on: all that followed, once and in order", async () => {
      const live = await server.subscriber();
      await live.watch(inNamespace());
      const names = ["a", "b", "c", "d", "e"];
      for (const name of names) await make(name);
      await live.heard("resource.create", "e");
      const random = seededRandom(seed);
      const ended: Subscriber[] = [];
      const resume = async (): Promise<void> => {
        const late = await server.subscriber();
        const last = live.told.filter(({ revision }) => revision !== undefined).at(-1);
        late.send(inNamespace({ resourceVersion: last?.revision }));
        ended.push(late);
      };

      for (let index = 0; index < 60; index++) {
        await change(random.pick(["a", "b", "c", "d"]), { data: { n: String(index) } });
        if (index % 15 === 0) await resume();
      }
      await remove("e");
      await resume();

      await live.heard("resource.remove", "e");
      const all = live.told.map(({ name, revision }) => `${name} ${revision}`);
      for (const late of ended) {
        await late.heard("resource.start");
        await late.until(
          () => late.told.length === 1 || late.named("resource.remove").length === 1,
          "the end",
        );
        const seen = late.told.slice(1).map(({ name, revision }) => `${name} ${revision}`);
        expect(seen).to.deep.equal(all.slice(all.length - seen.length));
      }
      // Those that began before the removal have heard of it.
      for (const late of ended.slice(0, -1)) await late.heard("resource.remove", "e");
    });

    it("that is too old ends in an error that says so, and a stop, without a start", async () => {
      const admin = await server.subscriber();

      admin.send(inNamespace({ resourceVersion: "1" }));

      await admin.heard("resource.stop");
      expect(admin.course).to.deep.equal(["error", "stop"]);
      expect((await admin.heard("resource.error")).data.error).to.contain("too old");
    });

    it("that nobody has told yet is waited for, but not for ever", async () => {
      const admin = await server.subscriber();

      admin.send(inNamespace({ resourceVersion: "9999999999999" }));

      await admin.heard("resource.stop");
      expect((await admin.heard("resource.error")).data.error).to.contain("too old");
    });
  });

  describe("notifications", () => {
    it("come at once, then at most one per interval, with the newest revision", async () => {
      const clock = Object.assign(fakeClock(), { now: () => Date.now() });
      await using paced = new SubscribeServer(client, { log, clock });
      await paced.start();
      const admin = await paced.subscriber();
      const observer = await paced.subscriber();
      await observer.watch(inNamespace());
      await admin.watch(inNamespace({ mode: "resource.changes", debounceMs: 700 }));

      await make("one");
      const first = await admin.heard("resource.changes");
      await observer.heard("resource.create", "one");
      await make("two");
      await make("three");
      const { revision } = await observer.heard("resource.create", "three");

      expect(admin.named("resource.changes")).to.have.length(1);
      expect(first).to.deep.include({
        ...{ mode: "resource.changes", resourceType: "configmap", namespace },
        data: { type: "subscribe", links: {} },
      });
      await clock.advance(699);
      expect(admin.named("resource.changes")).to.have.length(1);
      await clock.advance(1);
      await admin.until(() => admin.named("resource.changes").length === 2, "the second");
      expect(admin.named("resource.changes")[1]?.revision).to.equal(revision);
    });

    it("tell at the start that something followed the revision", async () => {
      await make("one");
      const revision = await revisionWith("one");
      await make("two");
      await revisionWith("two");
      const admin = await server.subscriber();

      await admin.watch(inNamespace({ mode: "resource.changes", resourceVersion: revision }));

      await admin.heard("resource.changes");
    });
  });

  describe("a change of rights", () => {
    const lists = { apiGroups: [""], resources: ["configmaps"], verbs: ["list"] };

    it("that takes objects away tells which, and ends the watch", async () => {
      await make("one");
      await make("two");
      await revisionWith("two");
      const name = await somebody();
      const user = await server.subscriber(name);
      await user.watch({ resourceType: "configmap" });

      await changeRules(name, [{ ...lists, resourceNames: ["two"] }]);

      await user.heard("resource.stop");
      const removed = user.named("resource.remove").map(({ data }) => data.id);
      expect(removed).to.include(`${namespace}/one`);
      expect(removed).not.to.include(`${namespace}/two`);
      expect(user.named("resource.remove")[0]?.data).to.have.keys(
        "id",
        "type",
        "links",
        "metadata",
      );
      await user.watch({ resourceType: "configmap" });
      await change("one", { data: { n: "1" } });
      await change("two", { data: { n: "1" } });
      await user.heard("resource.change", "two");
      expect(user.course).not.to.include("change one");
    });

    it("that gives more ends the watch, so that it is begun anew", async () => {
      await make("one");
      const name = await somebody([{ ...lists, resourceNames: ["two"] }]);
      const user = await server.subscriber(name);
      await user.watch({ resourceType: "configmap" });

      await changeRules(name, [lists]);

      await user.heard("resource.stop");
      expect(user.named("resource.remove")).to.deep.equal([]);
    });

    it("that is about something else changes the links, and the watch goes on", async () => {
      const name = await somebody();
      const user = await server.subscriber(name);
      await user.watch({ resourceType: "configmap" });
      const before = server.access.of({ username: name, groups: ["system:authenticated"] });

      await changeRules(name, [lists, { ...lists, verbs: ["delete"] }]);
      const after = (): typeof before =>
        server.access.of({ username: name, groups: ["system:authenticated"] });
      await eventually(() => after().fingerprint !== before.fingerprint, within);
      await make("one");

      await eventually(async () => {
        await change("one", { data: { n: String(Math.random()) } });
        return user.named("resource.change").some(({ data }) => "remove" in data.links);
      }, within);
      expect(user.named("resource.stop")).to.deep.equal([]);
    });
  });

  describe("the end of a watch", () => {
    it("is told when the same message says stop; nothing follows", async () => {
      const admin = await server.subscriber();
      await admin.watch(inNamespace());
      await admin.watch(inNamespace({ selector: "a=b" }));

      admin.send(inNamespace({ stop: true, resourceVersion: "7" }));
      await admin.heard("resource.stop");
      admin.send(inNamespace({ stop: true }));
      await make("one");
      await make("two", { labels: { a: "b" } });

      await admin.heard("resource.create", "two");
      expect(admin.course).to.deep.equal(["start", "start", "stop", "create two"]);
    });

    it("can be followed by a start at once, and a second start is ignored", async () => {
      const admin = await server.subscriber();
      for (const stop of [false, false, true, false, true, false, false]) {
        admin.send(inNamespace({ stop }));
      }
      await admin.until(() => admin.course.at(-1) === "start", "the last start");
      await make("one");

      await admin.heard("resource.create", "one");
      await change("one", { data: { n: "1" } });
      await admin.heard("resource.change", "one");
      expect(admin.named("resource.stop")).to.have.length(2);
      expect(admin.named("resource.create")).to.have.length(1);
      expect(server.subscriptions.stats.watches).to.equal(1);
    });

    it("comes when the type goes, for ever or to change", async () => {
      const kind = uniqueName("Widget").replaceAll("-", "");
      const plural = kind.toLowerCase();
      const group = "subscribe.example.com";
      const crd = {
        ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
        metadata: { name: `${plural}.${group}` },
        spec: {
          ...{ group, scope: "Namespaced", names: { plural, kind } },
          versions: [
            {
              ...{ name: "v1", served: true, storage: true },
              schema: {
                openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
              },
            },
          ],
        },
      };
      await client.create(crd);
      const resourceType = `${group}.${plural}`;
      await eventually(() => server.types.find(resourceType) !== undefined, within);
      const admin = await server.subscriber();
      await admin.watch({ resourceType });
      await eventually(
        () =>
          client.create({ apiVersion: `${group}/v1`, kind, metadata: { name: "w", namespace } }),
        within,
      );
      await admin.heard("resource.create", "w");

      await client.delete(crd);

      await admin.heard("resource.stop");
      await eventually(() => server.types.find(resourceType) === undefined, within);
      admin.send({ resourceType });
      const { data } = await admin.heard("resource.error");
      expect(data.error).to.equal(`failed to find schema ${resourceType}`);
    });

    it("comes politely when the server stops, with the connection", async () => {
      await using other = new SubscribeServer(client, { log });
      await other.start();
      const admin = await other.subscriber();
      await admin.watch(inNamespace());

      other.stopping.abort();

      await admin.until(() => admin.closed !== undefined, "the end");
      expect(admin.course).to.deep.equal(["start", "stop"]);
      expect(admin.closed).to.deep.equal([1001, "the server stops"]);
    });

    it("comes when the login ends", async () => {
      const user = await server.subscriber(await somebody());
      await user.watch({ resourceType: "configmap" });

      server.ended.add(user.user);

      await user.until(() => user.closed !== undefined, "the end");
      expect(user.course).to.deep.equal(["start", "stop"]);
      expect(user.closed).to.deep.equal([1008, "the login has ended"]);
    });
  });

  describe("bad input", () => {
    for (const [title, message, error] of [
      ["no JSON", "{", /^a message is a JSON object/],
      ["a list", "[1]", /^a message is a JSON object$/],
      ["a number for a text", '{"resourceType":5}', /^invalid resourceType/],
      ["half a character", '{"resourceType":"\\ud800"}', /^invalid resourceType/],
      ["an unknown mode", '{"resourceType":"pod","mode":"x"}', /^invalid mode/],
      ["a negative interval", '{"resourceType":"pod","debounceMs":-1}', /^invalid debounceMs/],
      [
        "a revision that is none",
        '{"resourceType":"pod","resourceVersion":"x"}',
        /^invalid resourceVersion/,
      ],
      ["a type that is none", '{"resourceType":"nothing"}', /^failed to find schema nothing$/],
      ["a selector that is none", '{"resourceType":"pod","selector":"a=("}', /^label selector/],
      [
        "a type that cannot be watched",
        '{"resourceType":"authorization.k8s.io.selfsubjectaccessreview"}',
        /^schema authorization.k8s.io.selfsubjectaccessreview does not support watching$/,
      ],
    ] as const) {
      it(`is answered, and the session goes on: ${title}`, async () => {
        const admin = await server.subscriber();

        admin.send(message);

        expect((await admin.heard("resource.error")).data.error).to.match(error);
        await admin.watch(inNamespace());
      });
    }

    it("of a type that the caller may know nothing of is as one that is not there", async () => {
      const user = await server.subscriber(await somebody());

      user.send({ resourceType: "secret" });

      await user.heard("resource.stop");
      const { data } = await user.heard("resource.error");
      expect(data.error).to.equal("failed to find schema secret");
    });

    it("of a type that the caller may only make is refused", async () => {
      const rule = { apiGroups: [""], resources: ["secrets"], verbs: ["create"] };
      const all = { apiGroups: [""], resources: ["configmaps"], verbs: ["list"] };
      const user = await server.subscriber(await somebody([rule, all]));

      user.send({ resourceType: "secrets" });

      const { data } = await user.heard("resource.error");
      expect(data.error).to.equal("PermissionDenied 403: can not list secret");
    });

    it("in number is bounded", async () => {
      const admin = await server.subscriber();
      for (let index = 0; index < 520; index++) admin.send(inNamespace({ id: `n${index}` }));

      await admin.until(() => admin.named("resource.error").length === 8, "eight errors");
      const { data } = await admin.heard("resource.error");
      expect(data.error).to.match(/^too many watches/);
    });

    it("in length ends the connection", async () => {
      const admin = await server.subscriber();

      admin.send(inNamespace({ selector: "x".repeat(20_000) }));

      await admin.until(() => admin.closed !== undefined, "the end");
      expect(admin.closed?.[0]).to.equal(1009);
    });

    it("in the handshake is refused", async () => {
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const sent = request({ port: server.port, path: "/v1/subscribe" }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        sent.on("error", reject).end();
      });
      const refused = await server.subscriber(undefined, {}, "?truncate=x").catch(String);

      expect(status).to.equal(400);
      expect(refused).to.contain("422");
    });

    it(`of any kind harms nobody (${cases} random messages, seed ${seed})`, async () => {
      const random = seededRandom(seed);
      const admin = await server.subscriber();
      for (let index = 0; index < cases; index++) {
        admin.send(randomMessage(random, namespace));
        if (index % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      admin.send({ resourceType: "the-end" });

      await admin.until(
        () => admin.told.some(({ data }) => data?.error === "failed to find schema the-end"),
        "an answer to the last message",
      );
      const other = await server.subscriber();
      await other.watch(inNamespace());
      await make("one");
      await other.heard("resource.create", "one");
    });

    it("below messages ends connections, and harms no others", async () => {
      const random = seededRandom(seed);
      const key = Buffer.alloc(16).toString("base64");
      const head = `GET /v1/subscribe HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`;
      for (let index = 0; index < 200; index++) {
        const socket = connectTcp(server.port, "127.0.0.1");
        socket.on("error", () => undefined).resume();
        socket.write(index % 10 === 0 ? head.replace("13", "x") : head);
        socket.end(Buffer.from(Array.from({ length: random.below(64) }, () => random.below(256))));
      }

      await eventually(() => server.subscriptions.stats.sessions === 0, within);
      const admin = await server.subscriber();
      await admin.watch(inNamespace());
    });
  });

  describe("a subscriber who does not read", () => {
    const big = "x".repeat(900_000);
    const unpacked = { perMessageDeflate: false };

    it("gets all of it later, in order, and others are not held up", async () => {
      const slow = await server.subscriber(undefined, unpacked);
      const quick = await server.subscriber();
      await slow.watch(inNamespace());
      await quick.watch(inNamespace());
      slow.ws.pause();

      for (let index = 0; index < 24; index++) {
        const metadata = { name: `big-${index}`, namespace };
        const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { big } };
        await client.create<ConfigMap>(object);
      }
      await quick.heard("resource.create", "big-23");
      expect(slow.course).not.to.include("create big-23");
      slow.ws.resume();

      await slow.heard("resource.create", "big-23");
      expect(slow.course).to.deep.equal(quick.course);
    });

    it("is told that too much was missed", async () => {
      const slow = await server.subscriber(undefined, unpacked);
      const quick = await server.subscriber(undefined, {}, "?exclude=data");
      await make("big");
      await slow.watch(inNamespace());
      await quick.watch(inNamespace());
      slow.ws.pause();

      for (let index = 0; index < 40; index++)
        await change("big", { data: { big, n: `${index}` } });
      await quick.until(() => quick.named("resource.change").length >= 40, "all changes");
      slow.ws.resume();

      await slow.heard("resource.stop");
      expect((await slow.heard("resource.error")).data.error).to.contain("too old");
    });

    it("and goes on asking is cut off", async () => {
      const deaf = await server.subscriber();
      deaf.ws.pause();
      for (let index = 0; index < 2_000; index++) deaf.send({ resourceType: "x".repeat(8_000) });

      await eventually(() => server.subscriptions.stats.sessions === 0, within);
    });
  });

  it("sends long messages packed, to those who take that", async () => {
    const text = "packs well ".repeat(10_000);
    const ways = [
      {},
      { perMessageDeflate: false },
      { perMessageDeflate: { serverMaxWindowBits: 9 } },
    ];
    const all = await Promise.all(ways.map((way) => server.subscriber(undefined, way)));
    for (const each of all) await each.watch(inNamespace());
    const metadata = { name: "long", namespace };

    await client.create<ConfigMap>({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      data: { text },
    });

    for (const each of all) {
      expect((await each.heard("resource.create", "long")).data.data.text).to.equal(text);
    }
    expect(all.map(({ ws }) => ws.extensions)).to.deep.equal(["permessage-deflate", "", ""]);
  });

  it("tells 200 subscribers the same, in the same order", async () => {
    const users = [undefined, await somebody(), await somebody()];
    const all = await Promise.all(
      Array.from({ length: 200 }, (_, index) => server.subscriber(users[index % users.length])),
    );
    await Promise.all(all.map((each) => each.watch(inNamespace())));

    for (let index = 0; index < 10; index++) await make(`map-${index}`);
    for (let index = 0; index < 10; index++) await remove(`map-${index}`);

    await Promise.all(all.map((each) => each.heard("resource.remove", "map-9")));
    for (const { course } of all) expect(course).to.deep.equal(all[0]?.course);
    expect(server.subscriptions.stats).to.include({ sessions: 200, watches: 200 });
    await server.closeAll();
    await eventually(() => server.subscriptions.stats.feeds === 0, within);
  });

  it("pings every 30 s", async () => {
    const clock = Object.assign(fakeClock(), { now: () => Date.now() });
    await using paced = new SubscribeServer(client, { log, clock });
    await paced.start();
    const admin = await paced.subscriber();

    await clock.advance(29_999);
    expect(admin.told).to.deep.equal([]);
    await clock.advance(60_001);

    await admin.until(() => admin.named("ping").length === 3, "three pings");
    expect(admin.told[0]?.data.version).to.equal("v0");
  });

  it("tells of what is no resource of the cluster", async () => {
    const told: ((text: string) => void)[] = [];
    await using other = new SubscribeServer(client, {
      log,
      specials: {
        counts: ({ caller }, tell) => {
          const item = (text: string): Buffer => Buffer.from(`{"text":"${text}"}`);
          told.push((text) => tell({ name: "resource.change", item: [item(text)] }));
          tell({ name: "resource.change", revision: "1", item: [item(caller.username)] });
          return { accessChanged: () => undefined, [Symbol.dispose]: () => void told.pop() };
        },
      },
    });
    await other.start();
    const admin = await other.subscriber();

    await admin.watch({ resourceType: "counts" });
    told[0]?.("more");

    await admin.until(() => admin.named("resource.change").length === 2, "both");
    expect(admin.named("resource.change").map(({ data }) => data.text)).to.deep.equal([
      ...["admin", "more"],
    ]);
    admin.send({ resourceType: "counts", stop: true });
    await admin.heard("resource.stop");
    expect(told).to.deep.equal([]);
  });

  it("hands on the cookies of the answer", async () => {
    const { cookies } = await server.subscriber();

    expect(cookies).to.deep.equal(["CSRF=1", "other=2"]);
  });
});
